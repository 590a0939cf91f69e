import type { DtmfDigit } from '../../../src/base/audio/dtmf-digit.js';
import { CallerEar, type Heard, type ListenOptions } from '../../../src/bot/api/caller-ear.js';
import { DtmfFrame } from '../../../src/bot/pipeline/frames/index.js';

beforeEach(() => {
  jest.useFakeTimers();
});

/** An ear that hears words, what it was told, and how long it has waited. */
function setUp() {
  const ear = new CallerEar(true);
  const press = (keys: string): DtmfFrame[] => {
    const frames = [...keys].map((digit) => new DtmfFrame(digit as DtmfDigit));
    for (const frame of frames) ear.press(frame);
    return frames;
  };
  /** What a `listen` has come to. */
  const listen = (options: ListenOptions) => {
    const outcome: { heard: Heard | 'nothing' | 'waiting' } = { heard: 'waiting' };
    void ear.listen(options).then((heard) => {
      outcome.heard = heard ?? 'nothing';
    });
    return outcome;
  };
  return { ear, press, listen, pass: (ms: number) => jest.advanceTimersByTimeAsync(ms) };
}

describe('a # behind as many keys as were waited for', () => {
  test('belongs to them: the next one who listens does not get it', async () => {
    const { press, listen, pass } = setUp();
    const first = listen({ keys: 4 });
    press('1234');
    await pass(500);
    const second = listen({ keys: 2 });
    press('#');
    await pass(500);
    press('56');
    await pass(0);
    expect([first.heard, second.heard]).toEqual([{ keys: '1234' }, { keys: '56' }]);
  });

  test('belongs to them also when it was pressed before anything listened', async () => {
    const { press, listen, pass } = setUp();
    press('1234#5');
    const [first, second] = [listen({ keys: 4 }), await pass(0).then(() => listen({ keys: 1 }))];
    await pass(0);
    expect([first.heard, second.heard]).toEqual([{ keys: '1234' }, { keys: '5' }]);
  });

  test.each([
    ['two seconds later', 4, 2_000],
    ['behind a single key, where # is a key like any other', 1, 0],
  ])('is a key of its own %s', async (_title, keys, ms) => {
    const { press, listen, pass } = setUp();
    listen({ keys });
    press('1234'.slice(0, keys));
    await pass(ms);
    const next = listen({ keys: 1 });
    press('#');
    await pass(0);
    expect(next.heard).toEqual({ keys: '#' });
  });

  test('is a key of its own behind another key, and the second time', async () => {
    const { press, listen, pass } = setUp();
    listen({ keys: 2 });
    press('12##');
    await pass(0);
    const next = listen({ keys: 1 });
    await pass(0);
    expect(next.heard).toEqual({ keys: '#' });
  });
});

test('a # before the first of several keys ends nothing, and the time counts anew', async () => {
  const { press, listen, pass } = setUp();
  const it = listen({ keys: 4, timeoutMs: 1_000 });
  await pass(900);
  press('#');
  await pass(900);
  expect(it.heard).toBe('waiting');
  press('12#');
  await pass(0);
  expect(it.heard).toEqual({ keys: '12' });
});

test('words mean nothing once a key has been pressed', async () => {
  const { ear, press, listen, pass } = setUp();
  const it = listen({ keys: 4, words: true, timeoutMs: 1_000 });
  press('1');
  ear.hear('Sorry, one moment.', true);
  await pass(900);
  ear.hearInterim();
  expect(it.heard).toBe('waiting');
  await pass(100);
  expect(it.heard).toEqual({ keys: '1' });
});

test('keys wait for the next one who listens once words have been understood', async () => {
  const { ear, press, listen, pass } = setUp();
  const first = listen({ keys: 2, words: true });
  ear.hear('It is twelve,', false);
  const pressed = press('12');
  await pass(1_500);
  expect([first.heard, pressed.map(({ isTaken }) => isTaken)]).toEqual([{ words: 'It is twelve,' }, [false, false]]);
  const second = listen({ keys: 2 });
  await pass(0);
  expect(second.heard).toEqual({ keys: '12' });
});

test('an utterance without words ends nothing', async () => {
  const { ear, listen, pass } = setUp();
  const it = listen({ words: true });
  ear.hear(' ', true);
  await pass(0);
  expect(it.heard).toBe('waiting');
  ear.hear('Yes', false);
  ear.hear('', true);
  await pass(0);
  expect(it.heard).toEqual({ words: 'Yes' });
});

test('a key that counted elsewhere is nothing to listen for, and one that is listened for counts nowhere else', async () => {
  const { ear, press, listen, pass } = setUp();
  const early = press('12');
  for (const frame of early) frame.isTaken = true;
  const it = listen({ keys: 2 });
  const pressed = press('34');
  await pass(0);
  expect([it.heard, pressed.map(({ isTaken }) => isTaken)]).toEqual([{ keys: '34' }, [true, true]]);
  ear.close();
});
