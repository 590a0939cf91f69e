import {
  type Frame,
  type FrameDirection,
  OutputAudioFrame,
  TTSSpeakFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { hurried } from '../../../hasty-clock.js';
import { amplitudeOf, FRAME, Hum, toneFrames, until } from './line.js';
import { BRIEF, Ears, isBack, scene } from './warm-scene.js';

hurried();

const WITH_EARS = { tts: () => new Hum(), stt: () => new Ears() };
const QUESTION = 'Would you like to take the call? Please say yes or no.';

beforeEach(() => {
  Ears.all = [];
});

test('a key before the last word: nothing more of it is said, neither over the caller nor before the hang-up', async () => {
  for (const key of ['1', '2']) {
    await using it = await scene();
    const { outcome } = await it.transfer();
    await until(() => it.colleague.heard.length > 8, 'it is briefed');
    it.colleague.press(key);
    const { status } = await outcome;
    it.caller.says = toneFrames(400);
    const from = it.colleague.heard.length;
    if (key === '1') await until(() => it.colleague.heard.length > from + 60, 'they talk');
    else await it.colleague.isClosed;
    expect({ key, status, words: it.colleague.heard.length < BRIEF.length || key === '1' }).toEqual({
      key,
      status: key === '1' ? 'answered' : 'declined',
      words: true,
    });
    expect(
      amplitudeOf(it.colleague.samples.subarray((from + 5) * FRAME, (from + 40) * FRAME), 1_000) || 0,
    ).toBeLessThan(100);
  }
});

test.each([
  ['while the briefing is repeated', 5],
  ['to the question that is asked again', BRIEF.length + 10],
  ['after it', BRIEF.length + QUESTION.length],
])('a spoken yes counts %s', async (_when, frames) => {
  await using it = await scene(WITH_EARS);
  const { outcome } = await it.transfer({ accept: 'spoken yes' });
  const once = BRIEF.length + QUESTION.length;
  await until(() => it.colleague.heard.length >= once, 'it is asked');
  Ears.all.at(-1)?.hear('Who is this?');
  await until(() => it.colleague.heard.length >= once + frames, 'it is asked again');
  expect(it.outcomes).toEqual([]);
  Ears.all.at(-1)?.hear('Wie bitte?');
  await new Promise((resolve) => setTimeout(resolve, 100));
  Ears.all.at(-1)?.hear('Yes.');
  expect(await outcome).toMatchObject({ status: 'answered' });
});

test('who says nothing is asked twice, and has declined eight seconds later', async () => {
  await using it = await scene(WITH_EARS);
  const { outcome } = await it.transfer({ accept: 'spoken yes' });
  const beganAt = performance.now();
  expect(await outcome).toEqual({ status: 'declined', detail: 'it has not answered what it was asked' });
  const said = 2 * (BRIEF.length + QUESTION.length);
  expect(it.colleague.heard.length).toBeGreaterThanOrEqual(said);
  expect(performance.now() - beganAt).toBeLessThan(said * 20 + 2 * 8_000 + 2_000);
  await isBack(it);
});

/** A voice that goes on for 100 s, whatever it is to say. */
class Endless extends Hum {
  override process(frame: Frame, direction: FrameDirection): void {
    if (!(frame instanceof TTSSpeakFrame)) {
      super.process(frame, direction);
      return;
    }
    this.push(new OutputAudioFrame(new Int16Array(100 * 8_000).fill(1_000), 8_000), direction);
    frame.settle();
  }
}

test.each(['1', 'answer'])('a briefing that does not end is declined after a minute, taken by %s', async (accept) => {
  await using it = await scene({ tts: () => new Endless() });
  const { outcome } = await it.transfer({ accept });
  const beganAt = performance.now();
  expect(await outcome).toEqual({ status: 'declined', detail: 'it had not taken the call after 60 s' });
  expect(performance.now() - beganAt).toBeGreaterThan(59_000);
  expect(performance.now() - beganAt).toBeLessThan(62_000);
  await it.colleague.isClosed;
  expect(it.runner.told.at(-1)).toBeUndefined();
  const keys: string[] = [];
  it.call.on('dtmf', ({ digit }) => keys.push(digit));
  it.caller.press('9');
  await until(() => keys.length > 0, 'the caller is with the bot');
});
