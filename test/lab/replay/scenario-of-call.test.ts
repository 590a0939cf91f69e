import { scenarioOfCall } from '../../../src/lab/replay/scenario-of-call.js';
import { placeScenario } from '../../../src/lab/scenario/placed-scenario.js';
import { botSays, callerPresses, callerSays, callOf } from './recorded-call.js';

const GREETING = botSays(300, 3_000, 'Hello, this is the bakery. How can I help you?');

function callerOf(...parts: Parameters<typeof callOf>) {
  const { options, notes } = scenarioOfCall(callOf(...parts), 'call', '');
  expect(placeScenario(options, '/anywhere/call.yaml', () => 1)).toEqual(expect.objectContaining({ name: 'call' }));
  return { ...options, notes };
}

test('what is said after the bot had finished waits for that, and the caller hangs up when the bot has answered', () => {
  const { caller, from, notes } = callerOf(
    [...GREETING, ...callerSays(6_000, 7_000, 'Are you open?'), ...botSays(8_000, 9_000, 'Yes, we are.')],
    10_500,
  );
  expect(caller).toEqual([{ say: 'Are you open?' }]);
  expect(from).toBe('+12025550142');
  expect(notes).toEqual(['There is no recording: a voice that needs no key says what the bot understood.']);
});

test('what is said over the bot begins at the same words, or when it has finished without them', () => {
  const { caller } = callerOf(
    [
      ...botSays(300, 1_500, 'Hello, this is', 'the bakery.'),
      ...callerSays(1_300, 2_500, 'Stop.'),
      ...botSays(3_500, 4_500, 'Yes?'),
    ],
    6_000,
  );
  expect(caller).toEqual([{ say: 'Stop.', during: 'Hello, this is', after: '90ms', orFinished: true }]);
});

test('words that the bot says several times are told apart by the ones before them', () => {
  const { caller } = callerOf(
    [
      ...botSays(300, 2_000, 'One two three four.'),
      ...callerSays(3_000, 3_500, 'Again.'),
      ...botSays(4_500, 7_500, 'One two three five. One two three six.'),
      callerPresses(4_500 + 13 * 65 + 30, '1'),
      callerPresses(4_500 + 33 * 65 + 50, '2'),
    ],
    10_000,
  );
  expect(caller).toEqual([
    { say: 'Again.' },
    { press: expect.stringMatching(/^1 w/), during: 'four. One two three', after: '30ms', orFinished: true },
  ]);
});

test('keys are pressed at the same distance to what the bot said before, and to each other', () => {
  const { caller } = callerOf(
    [...GREETING, callerPresses(4_000, '1'), callerPresses(5_000, '2'), ...botSays(5_500, 6_500, 'Thank you.')],
    8_000,
  );
  expect(caller).toEqual([{ press: '1 w0.90 2', during: 'I help you', after: expect.any(String), orFinished: true }]);
});

test('a caller who waited for the second thing that the bot said waits for it again', () => {
  const { caller } = callerOf(
    [
      ...GREETING,
      ...callerSays(5_000, 6_000, 'Are you open?'),
      ...botSays(7_000, 8_000, 'One moment.'),
      ...botSays(14_000, 15_000, 'Yes, we are.'),
      ...callerSays(17_000, 18_000, 'Thank you.'),
      ...botSays(19_000, 20_000, 'Goodbye.'),
    ],
    21_000,
    { endReason: 'bot_ended' },
  );
  expect(caller).toEqual([{ say: 'Are you open?' }, { wait: '7500ms' }, { say: 'Thank you.' }, { wait: '13000ms' }]);
});

test('a caller who speaks first, goes on, and hangs up without an answer does so at the same times', () => {
  const { caller } = callerOf([...callerSays(1_000, 2_000, 'Hello?'), ...callerSays(4_000, 5_000, 'Anybody?')], 8_000);
  expect(caller).toEqual([
    { say: 'Hello?', after: '1000ms' },
    { say: 'Anybody?', after: '2000ms' },
    { hangUp: true, after: '3000ms' },
  ]);
});

test('a call of the bot is made again, and what is not kept of it is said', () => {
  const { dialout, from, notes } = callerOf([...GREETING], 5_000, {
    direction: 'outbound',
    to: '+12025550123',
    answeredBy: 'machine',
  });
  expect([dialout, from]).toEqual([{ to: '+12025550123', machine: true }, undefined]);
  expect(notes).toContain('The custom data of the call is not kept: the bot is called with none.');
  const busy = callOf([], 0, { direction: 'outbound', endReason: 'busy' });
  const { answeredAt: _, ...record } = busy.record;
  expect(scenarioOfCall({ ...busy, record }, 'busy', '').options.dialout).toMatchObject({ outcome: 'busy' });
});

test('a killed bot and a lost tunnel are faults; a bot that failed by itself is none', () => {
  const lost = (at: number) => [at, { type: 'bot_done', bot: 1, outcome: 'lost' }] as const;
  const killed = callerOf([...botSays(300, 3_000, 'Hello, this is the bakery.'), lost(1_600)], 9_000);
  expect(killed.faults).toEqual([{ killBot: true, during: expect.stringContaining('this') }]);
  const wrote = [1_500, { type: 'output', line: 'TypeError: x is not a function' }] as const;
  const failed = callerOf([...GREETING, wrote, lost(1_600)], 9_000);
  expect([failed.faults, failed.notes.at(-1)]).toEqual([undefined, expect.stringContaining('failed by itself')]);
  const record = (reconnects: number) => ({ type: 'record', record: { ...callOf([], 0).record, reconnects } }) as const;
  const tunnel = callerOf(
    [
      [4_000, { type: 'phase', phase: 'between_streams' }],
      [6_500, record(1)],
    ],
    9_000,
  );
  expect(tunnel.faults).toEqual([{ breakTunnel: '2500ms', after: '4000ms' }]);
});

test('keys that were masked are not pressed, which is said', () => {
  const { caller, notes } = callerOf([...GREETING, callerPresses(4_000, '•')], 6_000);
  expect([caller, notes]).toEqual([
    [],
    expect.arrayContaining(['Keys of the caller were masked: they are not pressed.']),
  ]);
});

test('without events, what the transcript has of the caller is said', () => {
  const entry = { speaker: 'caller', text: 'Hello there.', startMs: 2_000, endMs: 3_000 } as const;
  const { options } = scenarioOfCall({ ...callOf([], 5_000), transcript: [entry] }, 'call', '');
  expect(options.caller).toEqual([
    { say: 'Hello there.', after: expect.any(String) },
    expect.objectContaining({ hangUp: true }),
  ]);
});
