// biome-ignore-all lint/suspicious/noThenProperty: a branch has one, which is a list
import { encodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { CallerPlayer, CallerTurn } from '../../../src/lab/scenario/caller-player.js';
import { step } from '../../../src/lab/scenario/caller-steps.js';
import type { StepOptions } from '../../../src/lab/scenario/scenario-options.js';
import { ScriptedCaller } from '../../../src/lab/scenario/scripted-caller.js';

const FRAME = 160;
const LOUD = encodeMulaw(Int16Array.from({ length: FRAME }, (_, n) => 8_000 * Math.sin(n / 3)));
const SILENT = encodeMulaw(new Int16Array(FRAME));

/** A caller on a line without a network: `said` has what they say, `done` what they do, each with its time in milliseconds. */
function caller(steps: readonly StepOptions[] | CallerPlayer, isBotToEnd = false) {
  const done: string[] = [];
  const hear = (...heard: readonly Uint8Array[]) => heard.map((frame) => one.exchange(frame) !== undefined);
  const at = () => one.ear.nowMs;
  const one: ScriptedCaller = new ScriptedCaller(
    'next' in steps ? steps : steps.map((given) => step.parse(given)),
    {
      speak: async (text) => new Uint8Array(FRAME * text.length),
      play: () => new Uint8Array(FRAME),
      press: (digit) => done.push(`${at()} presses ${digit}`),
      said: (text) => done.push(`${at()} has said ${text}`),
      hangUp: () => done.push(`${at()} hangs up`),
    },
    new AbortController().signal,
    isBotToEnd,
  );
  one.note({ type: 'caller_joined', at: 0, source: 'bot' });
  const frames = (count: number, frame: Uint8Array) => hear(...Array<Uint8Array>(count).fill(frame));
  return { one, done, speak: (ms: number) => frames(ms / 20, LOUD), wait: (ms: number) => frames(ms / 20, SILENT) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const saying = (text: string, startsAt = 0): TimelineEvent => ({
  type: 'saying',
  text,
  startsAt,
  at: 0,
  source: 'bot',
});
const said = (text: string): TimelineEvent => ({ type: 'said', speaker: 'bot', text, at: 0, source: 'bot' });

test('says a text when the bot has been silent for a second after it has spoken, and hangs up on their next turn', async () => {
  const { done, speak, wait } = caller([{ say: 'hello' }]);
  wait(20);
  await settled();
  speak(1_000);
  expect(wait(960)).not.toContain(true);
  expect(wait(200).filter(Boolean)).toHaveLength('hello'.length);
  expect(done).toEqual([expect.stringMatching(/has said hello$/)]);
  speak(500);
  wait(1_100);
  expect(done.at(-1)).toMatch(/hangs up$/);
});

test('gives a bot that has not answered ten seconds, and one that is to end the call five', () => {
  const silent = caller([{ press: '1' }]);
  silent.wait(9_900);
  expect(silent.done).toEqual(['0 presses 1']);
  silent.wait(200);
  expect(silent.done.at(-1)).toMatch(/hangs up$/);
  const ending = caller([], true);
  ending.wait(20);
  ending.speak(1_000);
  ending.wait(4_900);
  expect(ending.done).toEqual([]);
  ending.wait(200);
  expect(ending.done).toHaveLength(1);
});

test('the rest of what the bot was saying is no answer, and words that were waited for are one', () => {
  const pressing = caller([{ press: '1', after: '200ms' }]);
  pressing.speak(1_400);
  pressing.wait(2_000);
  expect(pressing.done).toEqual(['200 presses 1']);
  const hearing = caller([{ hear: 'closed' }]);
  hearing.wait(20);
  hearing.speak(2_000);
  hearing.one.note(said('We are closed.'));
  hearing.wait(1_100);
  expect(hearing.done).toEqual([expect.stringMatching(/hangs up$/)]);
});

test('words of which the bot is cut off are no answer, also when they went on after the caller had spoken', async () => {
  const { one, done, speak, wait } = caller([{ say: 'hello', talkOver: true }]);
  wait(20);
  await settled();
  wait(400);
  speak(300);
  one.note({ ...said('We are'), wasInterrupted: true } as TimelineEvent);
  speak(60);
  wait(9_500);
  expect(done).toEqual([expect.stringMatching(/has said hello$/)]);
  speak(1_000);
  wait(1_100);
  expect(done.at(-1)).toMatch(/hangs up$/);
});

describe('while a function of the bot runs', () => {
  const event = (type: 'tool_called' | 'tool_returned'): TimelineEvent =>
    ({ type, call: 'a', name: 'balance', at: 0, source: 'bot' }) as TimelineEvent;

  test('what it says meanwhile is no answer, and neither is it when the function has returned', () => {
    const { one, done, speak, wait } = caller([{ press: '1' }]);
    wait(20);
    one.note(event('tool_called'));
    speak(1_000); // let me look that up
    wait(4_000);
    one.note(event('tool_returned'));
    wait(2_000);
    expect(done).toEqual(['0 presses 1']);
    speak(1_000);
    wait(1_100);
    expect(done.at(-1)).toMatch(/hangs up$/);
  });

  test.each([0, 1, 2, 3])('an answer that was heard for %i frames before it is known is the answer', (frames) => {
    const { one, done, speak, wait } = caller([{ press: '1' }]);
    wait(20);
    one.note(event('tool_called'));
    wait(1_000);
    speak(20 * frames);
    one.note(event('tool_returned'));
    speak(1_000);
    wait(1_100);
    expect(done.at(-1)).toMatch(/hangs up$/);
  });

  test('a bot that has died in it works no more', () => {
    const { one, done, speak, wait } = caller([{ press: '1' }]);
    one.note(event('tool_called'));
    wait(20);
    one.note({ type: 'bot_done', bot: 1, outcome: 'lost', at: 0, source: 'runner' });
    speak(1_000);
    wait(1_100);
    expect(done.at(-1)).toMatch(/hangs up$/);
  });

  test('a caller whose bot says nothing more is gone after ten seconds', () => {
    const { one, done, speak, wait } = caller([{ press: '1' }]);
    one.note(event('tool_called'));
    wait(20);
    speak(1_000);
    wait(9_900);
    expect(done).toEqual(['0 presses 1']);
    wait(200);
    expect(done.at(-1)).toMatch(/hangs up$/);
  });
});

test('a recorded line can be heard, such as the one that holds the caller', () => {
  const { one, done, wait } = caller([{ hear: 'one moment', within: '5s' }]);
  wait(1_000);
  one.note({ type: 'line_played', line: 'hold', text: 'One moment, please.', startedAt: 0, at: 0, source: 'bot' });
  wait(4_500);
  expect([done, one.failures]).toEqual([[], []]);
});

test('a bot that is still speaking when words do not come in time is said to', () => {
  const { one, wait } = caller([{ hear: 'goodbye', within: '2s' }]);
  one.note(saying('We are open on Monday,', 0));
  one.note(saying('on Tuesday,', Date.now() + 60_000));
  wait(2_100);
  expect(one.failures).toMatchObject([
    { happened: 'after 2 s the bot had said nothing more, and was saying "We are open on Monday,"' },
  ]);
});

test('ringing during a transfer is no answer, nor is what the bot has said before it', () => {
  const to = '+12025550101';
  const { one, done, speak, wait } = caller([{ press: '0' }]);
  wait(500);
  speak(1_000); // one moment please
  one.note({ type: 'transfer_asked', to, at: 0, source: 'bot' });
  wait(1_500);
  speak(2_000);
  wait(4_000);
  expect(done).toEqual(['0 presses 0']);
  one.note({ type: 'transfer_over', to, status: 'busy', at: 0, source: 'bot' });
  wait(3_000); // for a voice that is slow
  expect(done).toEqual(['0 presses 0']);
  speak(1_000);
  wait(1_100);
  expect(done.at(-1)).toMatch(/hangs up$/);
});

test('presses keys at their times, and waits', () => {
  const { done, wait } = caller([{ press: '1 w0.5 2' }, { wait: '1s' }, { press: '#' }]);
  wait(3_000);
  expect(done.slice(0, 3)).toEqual(['0 presses 1', '600 presses 2', '1600 presses #']);
});

test('acts in the middle of words of the bot, and so long after them', () => {
  const { one, done, wait } = caller([
    { press: '1', during: 'opening hours' },
    { press: '2', during: 'bakery', after: '200ms' },
  ]);
  wait(100);
  one.note(saying('Our opening hours are long.'));
  wait(100);
  one.note(saying('This is a bakery.'));
  wait(400);
  expect(done).toEqual(['100 presses 1', '400 presses 2']);
});

test('does not act before the words can be heard', () => {
  const { one, done, wait } = caller([{ press: '1', during: 'hours' }]);
  one.note(saying('Our opening hours', Date.now() + 60_000));
  wait(1_000);
  expect(done).toEqual([]);
});

test('waits until the bot has said words to their end', () => {
  const { one, done, wait } = caller([{ hear: 'closed' }, { press: '1' }]);
  wait(200);
  one.note(said('We are closed.'));
  wait(20);
  expect(done).toEqual(['200 presses 1']);
});

test('words that do not come in time are a failure, and the caller hangs up', () => {
  const { one, done, wait } = caller([{ hear: 'closed', within: '1s' }, { press: '1' }]);
  one.note(said('We are open.'));
  wait(1_100);
  expect(done).toEqual(['1000 hangs up']);
  expect(one.failures).toEqual([
    {
      field: 'caller[0].hear',
      expected: '"closed"',
      happened: 'after 1 s the bot had said "We are open."',
      atMs: 1_000,
    },
  ]);
  expect(one.isOver).toBe(true);
});

describe('of a call that is over', () => {
  const END = 'the call had ended (bot_ended)';
  const undone = (
    steps: readonly StepOptions[],
    live: (one: ReturnType<typeof caller>) => void = ({ wait }) => wait(200),
  ) => {
    const calling = caller(steps);
    live(calling);
    return calling.one.unfinished(END, 3_700);
  };

  test('the step at which the caller stood is a failure, with how many are behind it', () => {
    expect(undone([{ press: '1' }, { hear: 'your balance' }, { press: '2' }, { say: 'goodbye' }])).toEqual({
      field: 'caller[1].hear',
      expected: 'hear "your balance"',
      happened: `${END}, and 2 more steps were not done`,
      atMs: 3_700,
    });
    expect(undone([{ press: '1', during: 'the menu' }, { wait: '2s' }])).toMatchObject({
      field: 'caller[0].press',
      expected: 'press 1 during "the menu"',
      happened: `${END}, and one more step was not done`,
    });
    expect(undone([{ wait: '9s' }, { say: 'bye' }])).toMatchObject({ field: 'caller[0].wait', expected: 'wait 9 s' });
  });

  test('a call that was not answered has done none of them', () => {
    expect(undone([{ say: 'hello' }], () => {})).toMatchObject({ field: 'caller[0].say', happened: END });
  });

  test('within a repetition the step is named; one that goes on to the end of the call must have been done once', () => {
    const steps = [{ wait: '100ms' }, { hear: 'closed' }] as const;
    expect(undone([{ repeat: steps, times: 3 }])).toMatchObject({ field: 'caller[0].repeat[1].hear' });
    expect(undone([{ repeat: [{ press: '1' }, { wait: '100ms' }] }])).toBeUndefined();
  });

  test('a repetition to the end of the call that was never done whole is not done, nor is its last round of several', () => {
    expect(undone([{ repeat: [{ hear: 'your balance' }, { press: '1' }] }])).toMatchObject({
      field: 'caller[0].repeat[0].hear',
      happened: `${END}, and one more step was not done`,
    });
    const twice = (ms: number) =>
      undone([{ repeat: [{ press: '1' }, { wait: '500ms' }], times: 2 }], ({ wait }) => wait(ms));
    expect(twice(300)).toMatchObject({ field: 'caller[0].repeat[1].wait' });
    expect(twice(700)).toBeUndefined();
  });

  test('what is left within a branch counts, and words that became known with the end choose one', () => {
    const branches = (then: readonly StepOptions[]): StepOptions[] => [
      { either: [{ hear: 'open', then }, { hear: 'bye' }] },
    ];
    const heard = (text: string) => (calling: ReturnType<typeof caller>) => {
      calling.one.note(said(text));
      calling.wait(200);
    };
    expect(undone(branches([{ press: '1' }, { wait: '9s' }]), heard('We are open.'))).toBeUndefined();
    expect(undone(branches([{ wait: '9s' }, { press: '1' }]), heard('We are open.'))).toMatchObject({
      field: 'caller[0].either[0].then[0].wait',
    });
    const late = (text: string) => (calling: ReturnType<typeof caller>) => {
      calling.wait(200);
      calling.one.note(said(text));
    };
    expect(undone(branches([{ press: '1' }]), late('Bye.'))).toBeUndefined();
    expect(undone(branches([{ press: '1' }]), late('We are open.'))).toMatchObject({
      field: 'caller[0].either[0].then[0].press',
    });
  });

  test('waiting and hanging up need not be done, nor is anything left behind the last step', () => {
    expect(undone([{ press: '1' }, { wait: '9s' }, { hangUp: true }])).toBeUndefined();
    expect(undone([{ hangUp: true, during: 'never', orFinished: true }])).toBeUndefined();
    expect(undone([{ hangUp: true, during: 'never' }])).toMatchObject({ field: 'caller[0].hangUp' });
    expect(undone([{ press: '1' }])).toBeUndefined();
    expect(undone([])).toBeUndefined();
  });

  test('words that became known with the end count, and a failure is not told twice', () => {
    const heard = undone([{ hear: 'closed' }, { hear: 'goodbye' }], ({ one, wait }) => {
      wait(200);
      one.note(said('We are closed. Goodbye.'));
    });
    expect(heard).toBeUndefined();
    expect(undone([{ hear: 'closed', within: '1s' }, { press: '1' }], ({ wait }) => wait(2_000))).toBeUndefined();
  });

  test('the place of the caller is told in words while the call goes on', () => {
    const { one, wait } = caller([{ press: '1' }, { hangUp: true, during: 'goodbye' }]);
    wait(100);
    expect(one.place).toBe('hang up during "goodbye" (caller[1])');
    one.note(saying('Goodbye.'));
    wait(2_000);
    expect(one.isOver).toBe(true);
  });
});

describe('a caller who waits for one of several words', () => {
  const STEPS: readonly StepOptions[] = [
    { either: [{ hear: 'open', then: [{ press: '1' }, { press: '2' }] }, { hear: 'closed' }], within: '1s' },
    { press: '#' },
  ];

  test('does what belongs to those that come, and then what follows', () => {
    const open = caller(STEPS);
    open.wait(200);
    open.one.note(said('We are open.'));
    open.wait(100);
    expect(open.done).toEqual(['200 presses 1', '200 presses 2', '200 presses #']);
    const closed = caller(STEPS);
    closed.one.note(said('We are closed.'));
    closed.wait(100);
    expect(closed.done).toEqual(['0 presses #']);
  });

  test('fails where none comes in time, and where the call ends before', () => {
    const { one, done, wait } = caller(STEPS);
    one.note(said('Hello.'));
    wait(500);
    expect(one.unfinished('the call had ended', 500)).toMatchObject({
      field: 'caller[0].either',
      expected: 'hear "open" or hear "closed"',
    });
    wait(700);
    expect(done).toEqual(['1000 hangs up']);
    expect(one.failures).toEqual([
      {
        field: 'caller[0].either',
        expected: '"open" or "closed"',
        happened: 'after 1 s the bot had said "Hello."',
        atMs: 1_000,
      },
    ]);
  });

  test('the words that were said first choose, whatever their order here', () => {
    const { one, done, wait } = caller([
      {
        either: [
          { hear: 'closed', then: [{ press: '1' }] },
          { hear: 'open', then: [{ press: '2' }] },
        ],
      },
      { hear: 'closed' },
      { press: '#' },
    ]);
    one.note(said('We are open today, and closed on Sunday.'));
    wait(100);
    expect(done).toEqual(['0 presses 2', '0 presses #']);
  });

  test('stands at the step within the branch', () => {
    const { one, wait } = caller([
      { either: [{ hear: 'open', then: [{ say: 'bye', during: 'never' }] }, { hear: 'a' }] },
    ]);
    one.note(said('We are open.'));
    wait(200);
    expect(one.place).toBe('say "bye" during "never" (caller[0].either[0].then[0])');
  });
});

describe('keys before the bot has the call', () => {
  test('wait for it, so long that a bot which never comes shows it', () => {
    const done: string[] = [];
    const one = new ScriptedCaller(
      [step.parse({ press: '1' })],
      {
        speak: async () => new Uint8Array(0),
        play: () => new Uint8Array(0),
        press: (digit) => done.push(`${one.ear.nowMs} presses ${digit}`),
        said: () => {},
        hangUp: () => {},
      },
      new AbortController().signal,
    );
    for (let ms = 0; ms < 4_900; ms += 20) one.exchange(SILENT);
    expect(done).toEqual([]);
    for (let ms = 0; ms < 400; ms += 20) one.exchange(SILENT);
    expect(done).toEqual(['5000 presses 1']);
  });

  test('are pressed at their time where the scenario says one', () => {
    const { one, done } = caller([{ press: '1', after: '100ms' }]);
    for (let ms = 0; ms < 200; ms += 20) one.exchange(SILENT);
    expect(done).toEqual(['100 presses 1']);
    expect(one.acts).toEqual([{ atMs: 100, does: 'press', what: '1' }]);
  });
});

test('repeats steps so many times', () => {
  const { done, wait } = caller([{ repeat: [{ press: '1' }, { wait: '100ms' }], times: 3 }, { hangUp: true }]);
  wait(1_000);
  expect(done).toEqual(['0 presses 1', '100 presses 1', '200 presses 1', '300 hangs up']);
});

test('talks over the bot when told to', async () => {
  const { one, done, speak } = caller([{ say: 'stop', talkOver: true }]);
  one.exchange(LOUD);
  await settled();
  speak(200);
  expect(done).toEqual(['100 has said stop']);
});

test('a caller in place of steps is asked on their turn, and says whether they got what they wanted', async () => {
  const done: string[] = [];
  const turns = [{ say: 'hm' }, { hangUp: true, succeeded: false, because: 'nobody told the price' }];
  const talk: unknown[] = [];
  const one = new ScriptedCaller(
    {
      next: async (moment) => {
        talk.push([...moment.talk]);
        return turns.shift() ?? {};
      },
    },
    {
      speak: async () => new Uint8Array(FRAME),
      play: () => new Uint8Array(FRAME),
      press: () => {},
      said: (text) => done.push(text),
      hangUp: () => done.push('hangs up'),
    },
    new AbortController().signal,
  );
  one.note(said('Hello.'));
  for (let frame = 0; frame < 1_500 && !one.isOver; frame += 1) {
    one.exchange(frame < 50 || (frame > 700 && frame < 750) ? LOUD : SILENT);
    if (frame % 10 === 0) await settled();
  }
  expect(done).toEqual(['hm', 'hangs up']);
  expect(talk[0]).toEqual([{ speaker: 'bot', text: 'Hello.' }]);
  expect(one.failures).toMatchObject([{ field: 'caller', happened: 'nobody told the price' }]);
});

test('a caller that plays itself is told what it has done, and its failures are failures of the scenario', async () => {
  const turns: CallerTurn[] = [{ press: '1' }, { hangUp: true, succeeded: false, because: 'no hours' }];
  const told: number[] = [];
  const next: CallerPlayer['next'] = async ({ done }) => {
    told.push(done.length);
    return turns[done.length] ?? {};
  };
  const { one, done, wait } = caller({ next });
  for (let times = 0; times < 4; times += 1) {
    wait(6_000);
    await settled();
  }
  expect(told).toEqual([0, 1]);
  expect(done).toEqual([expect.stringMatching(/presses 1$/), expect.stringMatching(/hangs up$/)]);
  expect(one.failures).toMatchObject([{ field: 'caller', happened: 'no hours' }]);
});

test('a caller that plays itself is asked whether it has succeeded where the call has ended before', async () => {
  const begun = async (turn: CallerTurn | Promise<CallerTurn>) => {
    const { one, wait } = caller({ next: async ({ done }) => (done.length === 0 ? { say: 'hm' } : turn) });
    wait(6_000);
    await settled();
    wait(100);
    return { unsatisfied: () => one.unsatisfied('the call had ended (bot_ended)', 6_000) };
  };
  const ended = async (turn: CallerTurn) => (await begun(turn)).unsatisfied();
  expect(await ended({ hangUp: true, succeeded: true })).toBeUndefined();
  expect(await ended({ hangUp: true })).toBeUndefined();
  expect(await ended({ hangUp: true, succeeded: false, because: 'no price' })).toMatchObject({
    field: 'caller',
    happened: 'the call had ended (bot_ended): no price',
  });
  expect(await ended({ say: 'but' })).toMatchObject({
    happened: 'the call had ended (bot_ended): the caller wanted to go on',
  });
  const { unsatisfied } = await begun(new Promise<never>(() => {}));
  jest.useFakeTimers();
  const silent = unsatisfied();
  await jest.advanceTimersByTimeAsync(60_000);
  jest.useRealTimers();
  expect(await silent).toMatchObject({ happened: expect.stringMatching(/has not answered within 60 s/) });
  const steps = caller([{ wait: '1s' }]);
  expect(await steps.one.unsatisfied('over', 0)).toBeUndefined();
});

test('a caller that does not know what to do hangs up, and the scenario fails with the reason', async () => {
  const { one, done, wait } = caller({ next: () => Promise.reject(new Error('the model is away')) });
  wait(6_000);
  await settled();
  wait(100);
  expect(done).toEqual([expect.stringMatching(/hangs up$/)]);
  expect(one.failures).toMatchObject([{ field: 'caller', happened: 'the model is away' }]);
});
