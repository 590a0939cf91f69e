import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeWav } from '../../../src/base/audio/wav.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { until } from '../../e2e/processes.js';
import { nothingIsLeft } from '../../runner/rooms/consulting.js';
import { RunnerOnSandbox, type RunnerOnSandboxOptions } from '../../runner/runner-on-sandbox.js';
import { testsAtOnce } from '../../tests-at-once.js';
import { PATIENCE_MS } from '../conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Consulting } from '../consulting/consulting.js';
import { writtenFolder } from '../disclosure/disclosed-call.js';
import { amplitude, toneOf } from './tones.js';
import { CALLER, COLLEAGUE, hears } from './warm-stories.js';

const OPTIONS: RunnerOnSandboxOptions = {
  botFile: fileURLToPath(new URL('bridging-bot.ts', import.meta.url)),
  recording: 'always',
  warm: 2,
};
const LOUD = 3_000;
const SILENT = 300;
type Open = () => Promise<Consulting>;

class BridgingRoom extends Consulting {
  static async enter(): Promise<Consulting> {
    return await BridgingRoom.on(await RunnerOnSandbox.start({ ...OPTIONS, transport: 'rooms', client: 'built-in' }));
  }

  override noCallIsLeft(): Promise<void> {
    return nothingIsLeft(this.rig.sandbox);
  }
}

/** The caller and a colleague are joined, and each says a tone. */
async function bridged(at: Consulting) {
  const colleague = await at.colleague();
  at.line.phone.says = toneOf(CALLER);
  colleague.says = toneOf(COLLEAGUE);
  const { colleague: leg } = await at.tells('bridged');
  await hears(at.line.phone, COLLEAGUE, 'the caller');
  await hears(colleague, CALLER, 'the colleague');
  const pass = async (frames: number) => {
    const until_ = colleague.heard.all.length + frames;
    await until(() => colleague.heard.all.length >= until_, 'they talk', PATIENCE_MS);
  };
  return { colleague, leg: String(leg), pass };
}

async function isDone(at: Consulting, party: string, digit: string): Promise<void> {
  await at.tellsOf('key', (told) => told.party === party && told.digit === digit);
}

/** A caller has the recording paused, says and presses what is not to be kept, and has it go on. */
async function paused(open: Open): Promise<void> {
  await using at = await open();
  const { colleague, leg, pass } = await bridged(at);
  await using _ = colleague;
  await pass(50);
  at.line.press('5');
  await isDone(at, 'caller', '5');
  at.line.press('42');
  await isDone(at, 'caller', '2');
  await pass(75);
  at.line.press('6');
  await isDone(at, 'caller', '6');
  await pass(75);
  await hears(colleague, CALLER, 'the colleague');
  colleague.client.hangUp();
  await at.ended(at.id);
  await at.noCallIsLeft();
  const { audio, events } = await readCallFolder(await writtenFolder(at.rig, leg));
  const { channels, sampleRate } = decodeWav(readFileSync(audio?.path ?? ''));
  const levels = levelsOf(channels[1] as Int16Array, CALLER, sampleRate);
  const [first, last] = [levels.findIndex((level) => level > LOUD), levels.findLastIndex((level) => level > LOUD)];
  const gaps = levels.slice(first, last).filter((level) => level < SILENT).length;
  expect(gaps).toBeGreaterThanOrEqual(60); // of 20 ms
  expect(levels.filter((level) => level > LOUD).length).toBeGreaterThanOrEqual(80);
  const own = levelsOf(channels[0] as Int16Array, COLLEAGUE, sampleRate).slice(first, last);
  expect(own.filter((level) => level > LOUD).length).toBeGreaterThan(own.length / 2); // the colleague's own recording goes on
  const pressed = events.flatMap((event) => (event.type === 'wire' && event.name === 'dtmf' ? [event.detail] : []));
  expect(pressed.join()).not.toMatch(/[426]/);
}

/** One of two who are joined objects. */
async function objected(open: Open, who: 'caller' | 'colleague'): Promise<void> {
  await using at = await open();
  const { colleague, leg, pass } = await bridged(at);
  await using _ = colleague;
  if (who === 'caller') at.line.press('9');
  else colleague.client.press('9');
  await isDone(at, who, '9');
  await pass(50);
  await hears(colleague, CALLER, 'the colleague'); // they go on talking
  colleague.client.hangUp();
  const records = [await at.ended(at.id), await at.ended(leg)];
  await at.noCallIsLeft();
  for (const record of records) {
    expect(record.recordingRemovedAt).toBeGreaterThan(record.startedAt);
    const folder = await writtenFolder(at.rig, record.id);
    expect(readdirSync(folder).sort()).toEqual(['call.json', 'removed.json']);
    expect(JSON.parse(readFileSync(join(folder, 'call.json'), 'utf8'))).toMatchObject({
      state: 'ended',
      recordingRemovedAt: record.recordingRemovedAt,
    });
  }
}

/** How loud a tone is, in each 20 ms. */
function levelsOf(pcm: Int16Array, hertz: number, rate: number): number[] {
  const frame = rate / 50;
  return Array.from({ length: Math.floor(pcm.length / frame) }, (_, n) =>
    amplitude(pcm.subarray(n * frame, (n + 1) * frame), hertz, rate),
  );
}

const storiesOf = (where: string, open: Open) => ({
  [`${where}, what a caller says and presses while their recording is paused is not in that of the colleague`]: () =>
    paused(open),
  [`${where}, a caller who objects has both recordings removed`]: () => objected(open, 'caller'),
  [`${where}, a colleague who objects has both recordings removed`]: () => objected(open, 'colleague'),
});

testsAtOnce(
  {
    ...storiesOf('on a carrier', () => Consulting.open(CARRIERS[0] as PlayedCarrier, OPTIONS)),
    ...storiesOf('in a room', () => BridgingRoom.enter()),
  },
  300_000,
  2,
);
