import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeWav } from '../../../src/base/audio/wav.js';
import type { RecordingOrder } from '../../../src/call/call-tape.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { type CallRunnerLink, runnerLinkOf } from '../../../src/call/runner-link.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { BotHost } from '../../../src/runner/bots/bot-host.js';
import type { MessageFromBot } from '../../../src/runner/bots/messages.js';
import { TemporaryFolder } from '../../call/folder/recorded-line.js';
import { until } from '../../e2e/processes.js';

const ROOM = { roomUrl: 'https://rooms.test/room', token: 'token' };
const CALL = {
  id: 'call-1',
  direction: 'inbound',
  isWithheld: false,
  from: '+12025550199',
  to: '+12025550100',
} as const;

let directory: TemporaryFolder;

beforeEach(() => {
  directory = new TemporaryFolder();
});

afterEach(() => directory[Symbol.dispose]());

/** One bot of a call, which does this with its runner's link. @returns what the runner is told of the call */
async function serve(
  act: (link: CallRunnerLink) => Promise<void> | void,
  recording?: Partial<RecordingOrder> | false,
  attempt = 1,
  tellsTalk?: boolean,
): Promise<readonly TimelineEvent[]> {
  const told: MessageFromBot[] = [];
  const host = new BotHost(
    async () => act(runnerLinkOf(ROOM) as CallRunnerLink),
    (message) => told.push(message),
  );
  const order = { folder: join(directory.path, 'call'), startedAt: Date.now(), maskDigits: false };
  host.receive({
    type: 'serve_room',
    callId: CALL.id,
    call: { ...CALL, attempt },
    room_url: ROOM.roomUrl,
    token: ROOM.token,
    body: {},
    past: { isForwarded: false, dialout: undefined },
    silenceMs: 0,
    ringMs: 45_000,
    limitMs: 60_000,
    tellsTalk,
    ...(recording !== false && { recording: { ...order, ...recording } }),
  });
  await until(() => told.some(({ type }) => type === 'call_done'), 'the bot is done');
  return told.flatMap((message) => (message.type === 'noted' ? message.events : []));
}

const LOUD = new Int16Array(160).fill(1_000);
const say = (link: CallRunnerLink, text: string) => link.timeline?.note({ type: 'said', speaker: 'caller', text });
const hear = (link: CallRunnerLink) => link.tape?.received(LOUD, 8_000);
const saidIn = (events: readonly TimelineEvent[]) =>
  events.flatMap((event) => (event.type === 'said' ? [event.text] : []));

test("a bot's part: its events, its audio, and the transcript, before the runner hears that it is done", async () => {
  await serve((link) => {
    hear(link);
    say(link, 'Hello?');
  });
  const { events, transcript, audio, missing } = await readCallFolder(join(directory.path, 'call'));
  expect(events.map(({ type }) => type)).toEqual(['recording', 'said']);
  expect(transcript).toMatchObject([{ speaker: 'caller', text: 'Hello?' }]);
  expect(audio?.durationMs).toBeGreaterThanOrEqual(20);
  expect(missing).toEqual(['call.json is missing.']);
});

test('a second bot adds to all of it', async () => {
  const startedAt = Date.now();
  for (const attempt of [1, 2]) {
    await serve(
      (link) => {
        hear(link);
        say(link, `with bot ${attempt}`);
      },
      { startedAt },
      attempt,
    );
  }
  const { events, transcript } = await readCallFolder(join(directory.path, 'call'));
  expect(saidIn(events)).toEqual(['with bot 1', 'with bot 2']);
  expect(transcript).toMatchObject([{ text: 'with bot 1 with bot 2' }]);
});

test('while it is paused nothing of it is kept, and nobody is told', async () => {
  const told = await serve((link) => {
    hear(link);
    say(link, 'before');
    link.pauseRecording?.();
    link.pauseRecording?.();
    for (let frame = 0; frame < 10; frame += 1) hear(link);
    say(link, 'my card');
    link.timeline?.note({ type: 'keys', direction: 'in', keys: '4' });
    link.resumeRecording?.();
    say(link, 'after');
  });
  const { events } = await readCallFolder(join(directory.path, 'call'));
  for (const list of [told, events]) {
    expect(saidIn(list)).toEqual(['before', 'after']);
    expect(list.filter(({ type }) => type === 'keys')).toEqual([]);
    expect(list.flatMap((event) => (event.type === 'recording' ? [event.is] : []))).toEqual([
      'started',
      'paused',
      'resumed',
    ]);
  }
});

test('of a call that is not recorded no word and no key leaves the process, unless its runner follows the talk', async () => {
  const act = (link: CallRunnerLink) => {
    say(link, 'my card');
    link.timeline?.note({ type: 'saying', text: 'Thank you.', startsAt: 0, utterance: 1 } as never);
    link.timeline?.note({ type: 'keys', direction: 'in', keys: '4' });
    link.timeline?.note({ type: 'caller_joined' });
    link.pauseRecording?.();
    say(link, 'my secret');
  };
  const types = async (tellsTalk?: boolean) =>
    (await serve(act, false, 1, tellsTalk)).flatMap(({ type, unkept = false }) =>
      type === 'recording' ? [] : [[type, unkept]],
    );
  expect(await types()).toEqual([['caller_joined', false]]);
  expect(await types(false)).toEqual([['caller_joined', false]]);
  expect(await types(true)).toEqual([
    ['said', true],
    ['saying', true],
    ['keys', true],
    ['caller_joined', false],
    ['said', true],
  ]);
  expect(existsSync(join(directory.path, 'call'))).toBe(false);
});

test('while it is paused a runner that follows the talk is told, and nothing is kept', async () => {
  const act = (link: CallRunnerLink) => {
    say(link, 'before');
    link.pauseRecording?.();
    say(link, 'my card');
    link.timeline?.note({ type: 'tool_called', call: 'a', name: 'pay', input: { card: '4711' } });
  };
  const told = await serve(act, {}, 1, true);
  expect(told.filter(({ type }) => type !== 'recording')).toMatchObject([
    { text: 'before' },
    { text: 'my card', unkept: true },
    { input: { card: '4711' }, unkept: true },
  ]);
  const { events } = await readCallFolder(join(directory.path, 'call'));
  expect(saidIn(events)).toEqual(['before']);
  expect(JSON.stringify(events)).not.toMatch(/4711|unkept/);
});

test('both sides are silent from the moment at which it is paused', async () => {
  await serve(async (link) => {
    hear(link);
    await new Promise((resolve) => setTimeout(resolve, 80));
    hear(link); // by now the first ones have their place
    link.pauseRecording?.();
    hear(link);
    link.resumeRecording?.();
    hear(link);
  });
  const { channels } = decodeWav(readFileSync(join(directory.path, 'call', 'audio.wav')));
  const loud = channels[0].filter((sample) => sample !== 0).length / 160;
  expect(loud).toBe(3);
});

test('keys are masked where the bot wants that', async () => {
  const told = await serve((link) => link.timeline?.note({ type: 'keys', direction: 'in', keys: '42' }), {
    maskDigits: true,
  });
  expect(told).toMatchObject([{ keys: '••' }]);
});

test('a call that is not recorded has no tape, and nobody is told what is said', async () => {
  const told = await serve((link) => {
    expect(link.tape).toBeUndefined();
    say(link, 'secret');
    link.pauseRecording?.();
    link.resumeRecording?.();
    say(link, 'secret too');
  }, false);
  expect(saidIn(told)).toEqual([]);
});

test('a disk that takes nothing: the bot goes on, and the runner is told once', async () => {
  const told = await serve(
    (link) => {
      hear(link);
      say(link, 'Hello?');
    },
    { folder: '/dev/null/call' },
  );
  const failures = told.filter((event) => event.type === 'recording' && event.is === 'failed');
  expect(failures).toMatchObject([{ reason: expect.stringContaining('ENOTDIR') }]);
  expect(saidIn(told)).toEqual(['Hello?']);
});

test('before another listener has heard the notice nothing is kept of them', async () => {
  const heard = { text: 'This call is recorded.', from: 1, to: 2, evidence: 'acknowledged' } as const;
  const told = await serve(
    (link) => {
      hear(link);
      link.tellNotice?.('recording', heard);
      say(link, 'Who is calling?');
      link.forgetNotices?.();
      expect(link.tape?.isRunning).toBe(false);
      say(link, 'Hello?');
      link.tellNotice?.('recording', heard);
      expect(link.tape?.isRunning).toBe(true);
      say(link, 'Yes, it is me.');
      say(link, 'What is it?');
    },
    { notice: 'awaited' },
  );
  const { events } = await readCallFolder(join(directory.path, 'call'));
  for (const list of [told, events]) expect(saidIn(list).join(' ')).not.toContain('Hello?');
  expect(saidIn(told)).toContain('What is it?');
});

test('of what the caller was saying when the notice was heard no word is kept or told', async () => {
  const told = await serve(
    (link) => {
      hear(link);
      expect(link.tape?.isRunning).toBe(false);
      link.tellNotice?.('recording', { text: 'This call is recorded.', from: 1, to: 2, evidence: 'acknowledged' });
      expect(link.tape?.isRunning).toBe(true);
      say(link, 'my card');
      say(link, 'is lost');
    },
    { notice: 'awaited' },
  );
  const { events, transcript } = await readCallFolder(join(directory.path, 'call'));
  for (const list of [told, events]) expect(saidIn(list)).toEqual(['is lost']);
  expect(transcript).toMatchObject([{ text: 'is lost' }]);
});
