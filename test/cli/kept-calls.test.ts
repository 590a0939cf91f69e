import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { CALL_ID, FolderUnderTest, RECORD, STARTED_AT } from '../call/folder/folder-under-test.js';
import { TemporaryFolder } from '../call/folder/recorded-line.js';
import { MadeTalk, TALK_AT } from '../call/view/made-talk.js';
import { FakeRunner, json, NO_SUCH_CALL } from './fake-runner.js';
import { command } from './in-process.js';

let home: TemporaryFolder;
let folder: FolderUnderTest;

beforeEach(() => {
  home = new TemporaryFolder();
  folder = new FolderUnderTest(join(home.path, 'calls'));
});

afterEach(() => home[Symbol.dispose]());

const calls = (...args: string[]) => command(['calls', ...args], home.path, { VOICEBOT_HOME: home.path }).finished;
const add = (...events: ReadonlyArray<Record<string, unknown>>) => {
  for (const { afterMs, ...event } of events) {
    const at = STARTED_AT + 50 + Number(afterMs);
    appendFileSync(join(folder.path, 'events.ndjson'), `${JSON.stringify({ at, source: 'bot', bot: 1, ...event })}\n`);
  }
};

test('with no runner the calls of earlier runs are listed', async () => {
  const { exitCode, stdout, stderr } = await calls();
  expect(exitCode).toBe(0);
  expect(stderr).toContain('No runner is running');
  expect(stdout).toContain(`${CALL_ID}  inbound    +12025550199  +12025550100  ended: the caller hung up  1.9`);
});

test('a call is shown from its folder: what was said and done in it, and when', async () => {
  const turn: Partial<TimelineEvent> = {
    type: 'turn_ended',
    startedAt: 1,
    turn: 1,
    since: 'caller_stopped',
    firstAudioMs: 420,
  };
  add(
    { afterMs: 2_000, type: 'tool_called', call: '1', name: 'hours', input: { day: 'Monday' } },
    { afterMs: 2_012, type: 'tool_returned', call: '1', name: 'hours', output: { from: '7' }, isError: false, ms: 12 },
    { afterMs: 3_000, ...turn, wasInterrupted: true },
    { afterMs: 61_234, type: 'transfer_over', to: '+12025550111', status: 'busy' },
    { afterMs: 62_000, type: 'audio_gap', ms: 140 },
    { afterMs: 500, type: 'language_changed', language: 'de' },
    { afterMs: 62_500, type: 'language_changed', language: 'es', from: 'de' },
    { afterMs: 63_000, type: 'warning', message: 'the line is noisy' },
    {
      afterMs: 64_000,
      type: 'document',
      path: '/resume',
      document: '<Play>https://x.example/prompts/apology.wav</Play>',
    },
  );
  folder.write(
    'transcript.json',
    JSON.stringify({
      version: 1,
      entries: [
        { speaker: 'caller', text: 'Hello?', startMs: 100, endMs: 600 },
        { speaker: 'bot', text: 'Good', unheard: 'morning!', wasInterrupted: true, startMs: 700, endMs: 900 },
        { speaker: 'caller', text: 'Hm?', startMs: 1_000, endMs: 1_100, typed: true },
      ],
    }),
  );
  const { exitCode, stdout, stderr } = await calls(CALL_ID.slice(0, 8));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('recording  2.0 s\n');
  expect(stdout.slice(stdout.indexOf('\nTranscript')).split('\n')).toEqual([
    '',
    'Transcript',
    '   0:00.1  caller  Hello?',
    '   0:00.7  bot     Good [morning!] (interrupted)',
    '   0:01.0  caller  Hm? (typed)',
    '   1:02.5  bot     goes on in Spanish (es)',
    '   1:04.0  bot     the apology',
    '',
    'Turns',
    "   0:03.0  turn 1: the caller's last sound, first audio +420 ms, interrupted",
    '',
    'Tools',
    '   0:02.0  hours({"day":"Monday"}) returned {"from":"7"} after 12 ms',
    '',
    'Transfers',
    '   1:01.2  to +12025550111: busy',
    '',
    'Warnings',
    "   1:02.0  the bot's audio was missing for 140 ms",
    '   1:03.0  the line is noisy',
    '',
    'Folder',
    `  ${folder.path}`,
    '',
  ]);
});

test('how the two sides got on stands behind the turns, and with --json as it was computed', async () => {
  const talk = new MadeTalk(20_000)
    .says(1_000, 2_000, 'I would like\u001b[31m')
    .answers(2_500, 3_200, 'What', 'would you like?')
    .says(2_800, 4_000, 'a table.')
    .answers(5_000, 8_000, 'For', 'how many?')
    .says(7_700, 7_900)
    .answers(10_500, 12_000, 'For how many?');
  rmSync(join(folder.path, 'audio.wav'));
  writeFileSync(join(folder.path, 'events.ndjson'), '');
  add(
    ...talk.ends().events.map(({ at, ...event }) => ({
      ...event,
      ...('startedAt' in event && { startedAt: Number(event.startedAt) - TALK_AT + STARTED_AT + 50 }),
      afterMs: at - TALK_AT,
    })),
  );
  const { stdout } = await calls(CALL_ID);
  expect(stdout.slice(stdout.indexOf('\nTalk\n'), stdout.indexOf('\nFolder')).split('\n')).toEqual([
    '',
    'Talk',
    "  cut off once, talked over once (0.70 s), false stops once, resumes never, longest hole 2.50 s; by the bot's events",
    '   0:02.6  the bot answered "What would you like?" for 0.70 s before the caller had finished, and the caller went on with "a table."',
    '   0:08.1  the bot was stopped in "For how many?" by a sound of which nothing was understood, and was heard again after 2.50 s',
    '   0:08.1  neither side was heard for 2.50 s',
    '',
  ]);
  const { events } = await calls(CALL_ID, '--json');
  expect(events[0]?.figures).toMatchObject({
    by: 'events',
    cutOffs: 1,
    talkOver: { times: 1, ms: 700 },
    falseStops: 1,
  });
});

test('what is damaged is said, and the rest is shown', async () => {
  rmSync(join(folder.path, 'audio.wav'));
  writeFileSync(join(folder.path, 'call.json'), '{');
  const { exitCode, stdout } = await calls(CALL_ID);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('state      ended: the caller hung up');
  expect(stdout).toContain('\nMissing\n  call.json is damaged.\n  audio.wav is missing.\n');
});

test('with --json: the folder, what was said, and what is missing', async () => {
  const { events } = await calls(CALL_ID, '--json');
  expect(events).toMatchObject([
    {
      event: 'call',
      callId: CALL_ID,
      call: RECORD,
      folder: folder.path,
      missing: [],
      transcript: [{ text: 'Hello!' }],
    },
  ]);
});

test('a text from outside does not reach the terminal as more than text', async () => {
  folder.write(
    'transcript.json',
    JSON.stringify({ version: 1, entries: [{ speaker: 'caller', text: '\u001b[31mred\nnext', startMs: 0, endMs: 1 }] }),
  );
  const { stdout } = await calls(CALL_ID);
  expect(stdout).not.toContain('\u001b');
});

test('a call that nobody knows: exit 5 without a runner', async () => {
  const { exitCode, stderr } = await calls('nobody');
  expect(exitCode).toBe(5);
  expect(stderr).toContain('VB_RUNNER_NOT_FOUND');
});

test('a beginning that several folders have: exit 2, naming them', async () => {
  new FolderUnderTest(join(home.path, 'calls'), `2026-11-22-${CALL_ID.slice(0, 8)}-other`);
  const { exitCode, stderr } = await calls(CALL_ID.slice(0, 8));
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`2 calls begin with ${CALL_ID.slice(0, 8)}: ${CALL_ID}, ${CALL_ID.slice(0, 8)}-other`);
});

describe('beside a runner', () => {
  let runner: FakeRunner;

  beforeEach(async () => {
    runner = await FakeRunner.start();
    await runner.announce(home.path, 'a-token-of-the-runner');
  });

  afterEach(() => runner[Symbol.asyncDispose]());

  test('its calls are listed, and with --all those of earlier runs too, each once', async () => {
    const live = { ...RECORD, id: 'out_live', startedAt: STARTED_AT + 10_000 };
    runner.reads = [json(200, { version: 1, calls: [live] })];
    expect((await calls('--json')).events).toMatchObject([{ calls: [{ id: 'out_live' }] }]);
    runner.reads = [json(200, { version: 1, calls: [live, RECORD] })];
    expect((await calls('--all', '--json')).events[0]?.calls).toMatchObject([{ id: 'out_live' }, { id: CALL_ID }]);
    runner.reads = [json(200, { version: 1, calls: [live] })];
    expect((await calls('--all', '--json')).events[0]?.calls).toMatchObject([{ id: 'out_live' }, { id: CALL_ID }]);
  });

  test('a call of an earlier run that it does not know is shown from its folder', async () => {
    runner.reads = [NO_SUCH_CALL, json(200, { version: 1, calls: [] })];
    const { exitCode, stdout } = await calls(CALL_ID.slice(0, 8));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Hello!');
  });

  test('one on another machine is not looked up here', async () => {
    runner.reads = [NO_SUCH_CALL, json(200, { version: 1, calls: [] })];
    expect((await calls(CALL_ID, '--server', runner.url)).exitCode).toBe(2);
    expect((await calls('--all', '--server', runner.url)).stderr).toContain('--all lists folders on this machine');
  });
});

test('--open says how to open the page when no runner is there, and wants a call', async () => {
  const { exitCode, stderr } = await calls(CALL_ID, '--open');
  expect(exitCode).toBe(5);
  expect(stderr).toContain(`npx voicebot calls ${CALL_ID} --open`);
  expect(await calls('--open')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--open needs') });
});
