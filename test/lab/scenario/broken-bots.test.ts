import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { brokenBots, brokenCode } from '../../../src/lab/scenario/broken-bots.js';
import { packageRoot } from '../../../src/terminal/package-root.js';
import { at, missed, storyOf } from './stories.js';

const done = (ms: number, outcome: string, bot = 1) => at(ms, { type: 'bot_done', bot, outcome });
const written = (ms: number, ...lines: readonly string[]) =>
  lines.map((line) => at(ms, { type: 'output', line } as TimelineEntry));
const died = (ms: number, fields: Readonly<Record<string, unknown>>) =>
  at(ms, { type: 'log', level: 'warn', message: 'the bot process of a call has died', fields });

const told = (...args: Parameters<typeof storyOf>) =>
  brokenBots(storyOf(...args)).map(({ kind, happened, atMs }) => `${kind}: ${happened} @ ${atMs}`);

test('a function that throws is told with its error, and the line of its own file', () => {
  const events = [
    ...written(
      4_000,
      'bot failed in call c-1 (attempt 1): TypeError: no ledger',
      `    at say (${packageRoot}src/bot/api/call.ts:40:1)`,
      '    at async json (/home/ada/bank/node_modules/got/index.js:3:4)',
      '    at async onCall (file:///home/ada/bank/bot.ts:15:44)',
      '    at async run (file:///home/ada/bank/main.ts:1:1)',
    ),
    done(4_000, 'threw'),
  ];
  expect(told({ events })).toEqual([
    'broke: TypeError: no ledger, at /home/ada/bank/bot.ts:15: its function has thrown it @ 4000',
  ]);
  expect(missed({ end: ['bot_ended', 'bot_crashed'] }, storyOf({ events }))).toEqual([]);
});

test('of several bots each has its own error, whatever number the runner has given it', () => {
  const failed = (ms: number, attempt: number, error: string) =>
    written(
      ms,
      `bot failed in call c-1 (attempt ${attempt}): ${error}`,
      `    at onCall (/home/ada/bank/bot.ts:${ms}:1)`,
    );
  const events = [
    done(1_000, 'returned', 11),
    ...failed(2_000, 1, 'Error: one'),
    done(2_001, 'threw', 17),
    ...failed(3_000, 2, 'Error: two'),
    done(3_001, 'threw', 18),
  ];
  expect(told({ events })).toEqual([
    'broke: Error: one, at /home/ada/bank/bot.ts:2000: its function has thrown it; one bot after it failed as well @ 2001',
  ]);
});

test('the place is none of those within Node itself', () => {
  const lines = [
    'Error: queue lost',
    '    at node:internal/process/promises:389:5',
    '    at async /home/ada/bank/bot.ts:7:3',
  ];
  const events = [
    ...written(3_900, ...lines),
    done(4_000, 'lost'),
    died(4_002, { exit: 'code 1', lastLine: lines[0] }),
  ];
  expect(told({ events })).toEqual([
    'broke: Error: queue lost, at /home/ada/bank/bot.ts:7: its process ended by itself with code 1 @ 4000',
  ]);
});

test('what a function throws once the call is over is nothing that a caller notices', () => {
  expect(told({ events: [done(11_000, 'threw')] })).toEqual([]);
});

test('a process that ends by itself is told with its last line and where that was, also after the end of the call', () => {
  const events = (ms: number) => [
    ...written(ms - 300, '/home/ada/bank/bot.ts:5', 'Error: audit lost', '    at audit (/home/ada/bank/bot.ts:5:9)'),
    done(ms, 'lost'),
    died(ms + 2, { exit: 'code 1', lastLine: 'Error: audit lost' }),
  ];
  const words = 'broke: Error: audit lost, at /home/ada/bank/bot.ts:5: its process ended by itself with code 1';
  expect(told({ events: events(4_000) })).toEqual([`${words} @ 4000`]);
  expect(told({ events: events(10_500) })).toEqual([`${words} @ 10500`]);
  expect(told({ events: [done(4_000, 'lost'), died(4_000, { exit: 'code 0' })] })).toEqual([
    'broke: its process ended by itself with code 0 @ 4000',
  ]);
});

test('one that stood still is told so, and of several bots the first', () => {
  const exit = 'no sign of life for 2000 ms';
  expect(told({ events: [died(3_000, { exit }), done(3_001, 'hung')] })).toEqual([
    `broke: it stood still: ${exit} @ 3001`,
  ]);
  expect(told({ events: [done(3_000, 'lost'), done(5_000, 'lost', 2), done(7_000, 'hung', 3)] })).toEqual([
    'broke: its process ended by itself; 2 bots after it failed as well @ 3000',
  ]);
});

test('only the bot that the test has killed is none, once for each kill', () => {
  const { answeredAt = 0 } = storyOf();
  const killedAt = [answeredAt + 2_000];
  expect(told({ killedAt, events: [done(2_100, 'lost')] })).toEqual([]);
  expect(told({ killedAt, events: [done(1_900, 'lost')] })).toHaveLength(1);
  expect(told({ killedAt, events: [done(2_100, 'lost'), done(2_900, 'lost', 2)] })).toEqual([
    'broke: its process ended by itself @ 2900',
  ]);
  expect(told({ killedAt, events: [done(2_100, 'threw')] })).toHaveLength(1);
});

test('bots that returned are not broken', () => {
  expect(told({ events: [done(4_000, 'returned'), done(5_000, 'returned', 2)] })).toEqual([]);
});

test('a bot that the runner ends, since the caller has hung up before it came to its stream, is not broken', () => {
  expect(told({ events: [done(10_020, 'hung')] })).toEqual([]);
  const exit = 'no sign of life for 2000 ms';
  expect(told({ events: [died(10_010, { exit }), done(10_020, 'hung')] })).toHaveLength(1);
  expect(told({ events: [done(9_000, 'hung')] })).toHaveLength(1);
});

test('one that ends its process by itself, without an error, once the call is over, is not broken', () => {
  expect(told({ events: [done(10_020, 'lost'), died(10_030, { exit: 'code 0' })] })).toEqual([]);
  expect(told({ events: [done(10_020, 'lost'), died(10_030, { exit: 'code 1' })] })).toHaveLength(1);
});

describe('code that fails while the call goes on is told with its place', () => {
  const warned = (from: string, errorType: string | undefined, message = 'no ledger') =>
    at(2_000, { type: 'warning', message, from, errorType });
  const mistakes = (events: readonly TimelineEvent[]) =>
    brokenCode(storyOf({ events })).map(({ kind, happened, atMs }) => `${kind}: ${happened} @ ${atMs}`);

  test.each(['a handler', 'Conversation'])('of %s, whatever its class', (from) => {
    const lines = written(
      2_000,
      `pipeline: ${from} failed: TypeError: no ledger`,
      '    at note (/home/ada/bank/bot.ts:9:2)',
    );
    expect(mistakes([warned(from, 'TypeError'), ...lines])).toEqual([
      'broke: TypeError: no ledger, at /home/ada/bank/bot.ts:9: a handler has thrown it @ 2000',
    ]);
    const refused = warned(from, 'VB_TRANSFER_FAILED');
    expect(mistakes([refused, refused])).toEqual([
      'broke: VB_TRANSFER_FAILED: no ledger: a handler has thrown it, 2 times @ 2000',
    ]);
  });

  test('of a processor where it is a mistake, and not what a service or a function has failed with', () => {
    expect(mistakes([warned('Ledger#1', 'TypeError')])).toHaveLength(1);
    expect(mistakes([warned('DeepgramSTTService#1', 'VB_PROVIDER_FAILED'), warned('x', 'ECONNRESET')])).toEqual([]);
    expect(mistakes([warned('function balance', 'TypeError'), warned('x', undefined)])).toEqual([]);
  });

  test('unless the scenario expects the bot to crash', () => {
    const story = storyOf({ events: [warned('a handler', 'TypeError')] });
    expect(missed({ end: ['bot_ended', 'bot_crashed'] }, story)).toEqual([]);
    expect(missed({}, story)).toHaveLength(1);
  });
});

test('an error after the end of the call is one, unless it is what comes of that', () => {
  const after = (error: string, errorType: string) => [
    at(11_000, { type: 'bot_done', bot: 1, outcome: 'threw', errorType }),
    ...written(11_020, `bot failed in call c-1 (attempt 1): ${error}`, '    at onCall (/home/ada/bank/bot.ts:15:4)'),
  ];
  expect(told({ events: after('TypeError: no ledger', 'TypeError') })).toEqual([
    'broke: TypeError: no ledger, at /home/ada/bank/bot.ts:15: its function has thrown it @ 11000',
  ]);
  expect(told({ events: after('VoicebotError: the stream is closed', 'VB_STREAM_CLOSED') })).toEqual([]);
  expect(told({ events: after('AbortError: The operation was aborted', 'ABORT_ERR') })).toEqual([]);
  expect(told({ events: [done(11_001, 'threw')] })).toEqual([]); // it did not return in time
  const handlers = (ms: number, errorType: string) =>
    brokenCode(storyOf({ events: [at(ms, { type: 'warning', message: 'no', from: 'a handler', errorType })] }));
  expect(handlers(9_000, 'ABORT_ERR')).toEqual([]);
  expect(handlers(11_000, 'VB_STREAM_CLOSED')).toEqual([]);
  expect(handlers(11_000, 'TypeError')).toHaveLength(1);
});
