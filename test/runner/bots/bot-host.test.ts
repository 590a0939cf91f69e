import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deferred } from '../../../src/base/async/deferred.js';
import type { CarrierRunnerArguments, RunnerArguments } from '../../../src/call/runner-arguments.js';
import { type CallRunnerLink, runnerLinkOf, type StreamRunnerLink } from '../../../src/call/runner-link.js';
import { botFailureIn } from '../../../src/call/view/events.js';
import { BotHost } from '../../../src/runner/bots/bot-host.js';
import type { MessageFromBot, OfCall, ToBot } from '../../../src/runner/bots/messages.js';
import { until } from '../../e2e/processes.js';
import { settled } from '../call-races-harness.js';

const callOf = (id: string) =>
  ({ id, direction: 'inbound', from: '+12025550142', isWithheld: false, to: '+12025550100', attempt: 1 }) as const;
const LIMITS = { silenceMs: 0, limitMs: 60_000 };
const serveStream = (callId: string): OfCall<ToBot> => ({
  type: 'serve',
  callId,
  call: callOf(callId),
  providerCallId: callId,
  carrier: 'plivo',
  body: {},
  query: {},
  ...LIMITS,
});
const serveRoom = (callId: string): OfCall<ToBot> => ({
  type: 'serve_room',
  callId,
  call: callOf(callId),
  room_url: `http://127.0.0.1/rooms/${callId}`,
  ringMs: 45_000,
  token: 'token-1',
  body: {},
  past: { isForwarded: false, dialout: undefined },
  ...LIMITS,
});

/** Both ends of a connection. */
async function socketPair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [near] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [near, far];
}

/** A process whose bots return when they are asked to end. */
function hosting({ isOrphan = false } = {}) {
  const said: MessageFromBot[] = [];
  const started: RunnerArguments[] = [];
  const host = new BotHost(
    async (args) => {
      started.push(args);
      const ended = deferred();
      args.signal.addEventListener('abort', () => ended.resolve());
      await ended.promise;
    },
    (message) => said.push(message),
    () => isOrphan,
  );
  const done = () => said.flatMap((message) => (message.type === 'call_done' ? [message.callId] : []));
  return { host, said, started, done };
}

test('a process serves streams and rooms side by side, and each message goes to the bot of its call', async () => {
  const { host, started, done } = hosting();
  host.receive(serveStream('call-1'));
  host.receive(serveRoom('call-2'));
  host.receive(serveRoom('call-3'));
  expect(started.map(({ transport, call }) => [transport, call.id])).toEqual([
    ['carrier', 'call-1'],
    ['rooms', 'call-2'],
    ['rooms', 'call-3'],
  ]);
  host.receive({ type: 'end', callId: 'call-2' });
  await settled();
  expect(done()).toEqual(['call-2']);
  host.stop();
  await settled();
  expect(done().toSorted()).toEqual(['call-1', 'call-2', 'call-3']);
  expect(host.callCount).toBe(0);
});

test('the stream of a call whose bot is gone is received, so that the runner lets go of it, and closed', () => {
  const { host, said } = hosting();
  const socket = new Socket();
  host.receive({ type: 'stream', callId: 'call-1', head: '' }, socket);
  expect(said).toEqual([{ type: 'socket_received', callId: 'call-1' }]);
  expect(socket.destroyed).toBe(true);
});

test('a caller who comes back when the bot has left gets another bot', async () => {
  const { host, started } = hosting();
  host.receive({ ...serveStream('call-1'), comeback: { status: 'busy', detail: 'busy' } } as OfCall<ToBot>);
  expect(started).toHaveLength(1);
  host.stop();
  await settled();
});

test('a runner that is gone ends the calls whose streams have not come, and no others', async () => {
  const { host, done } = hosting();
  host.receive(serveStream('call-1'));
  host.receive(serveRoom('call-2'));
  host.runnerGone();
  await settled();
  expect(done()).toEqual(['call-1']);
  host.stop();
  await settled();
});

describe('a transfer', () => {
  const transferOf = ([args]: readonly RunnerArguments[]) =>
    (runnerLinkOf({ websocket: (args as CarrierRunnerArguments).websocket }) as StreamRunnerLink).transfer(
      '+12025550106',
    );

  test('is refused where the runner is gone', async () => {
    const { host, started } = hosting({ isOrphan: true });
    host.receive(serveStream('call-1'));
    await expect(transferOf(started)).rejects.toMatchObject({ code: 'VB_RUNNER_STOPPING' });
    host.stop();
    await settled();
  });

  test('is refused when the runner goes before it has answered, and the call goes on', async () => {
    const { host, started, done } = hosting();
    host.receive(serveStream('call-1'));
    const [near, far] = await socketPair();
    host.receive({ type: 'stream', callId: 'call-1', head: '' }, near);
    const transfer = transferOf(started);
    host.runnerGone();
    await expect(transfer).rejects.toMatchObject({ code: 'VB_RUNNER_STOPPING' });
    await settled();
    expect(done()).toEqual([]);
    far.destroy();
    host.stop();
    await settled();
  });
});

test('what a bot has failed with is printed in one line with what that comes from, and then in full', async () => {
  const printed = jest.spyOn(console, 'error').mockImplementation(() => {});
  const failure = new AggregateError([new Error('no ledger')], 'no balance');
  const host = new BotHost(
    () => Promise.reject(failure),
    () => {},
  );
  host.receive(serveRoom('call-1'));
  await settled();
  const [first, ...more] = String(printed.mock.calls[0]?.[0]).split('\n');
  expect(first).toBe('bot failed in call call-1 (attempt 1): AggregateError: no balance (caused by no ledger)');
  expect(botFailureIn(first ?? '')).toBe('AggregateError: no balance (caused by no ledger)');
  expect(more.join('\n')).toMatch(/bot-host\.test\.ts:\d+:\d+\n.*\n {2}> *\d+ \| .*new AggregateError/);
  printed.mockRestore();
});

test('a call that was dialled beside another one runs no bot function, and ends with the bot of the other', async () => {
  const { host, said, started, done } = hosting();
  host.receive(serveStream('call-1'));
  const leg = serveStream('out_1') as Extract<OfCall<ToBot>, { type: 'serve' }>;
  host.receive({ ...leg, call: { ...leg.call, linkedTo: 'call-1' } });
  expect(started.map(({ call }) => call.id)).toEqual(['call-1']);
  expect(host.callCount).toBe(2);
  host.receive({ type: 'end', callId: 'call-1' });
  await settled();
  expect(done().toSorted()).toEqual(['call-1', 'out_1']);
  expect(said).toContainEqual({ type: 'stream_over', callId: 'out_1', outcome: 'bot_ended' });
});

test('a call that was dialled beside one whose bot has left is given back at once', () => {
  const { host, said } = hosting();
  const leg = serveStream('out_1') as Extract<OfCall<ToBot>, { type: 'serve' }>;
  host.receive({ ...leg, call: { ...leg.call, linkedTo: 'call-1' } });
  expect(said).toEqual([{ type: 'call_done', callId: 'out_1', outcome: 'lost' }]);
});

describe('a recording that is removed', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'voicebot-host-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Two calls of which one was dialled beside the other, and a third, each recorded. */
  function recorded() {
    const hosted = hosting();
    for (const [id, linkedTo] of [['call-1'], ['out_1', 'call-1'], ['call-2']] as const) {
      const room = serveRoom(id) as Extract<OfCall<ToBot>, { type: 'serve_room' }>;
      const recording = { folder: join(directory, id), startedAt: Date.now(), maskDigits: false };
      hosted.host.receive({ ...room, call: { ...room.call, ...(linkedTo && { linkedTo }) }, recording });
    }
    const linkOf = (id: string) =>
      runnerLinkOf({ roomUrl: `http://127.0.0.1/rooms/${id}`, token: 'token-1' }) as CallRunnerLink;
    const states = () => ['call-1', 'out_1', 'call-2'].map((id) => linkOf(id).isRecorded?.());
    const removed = () =>
      hosted.said.flatMap((message) => (message.type === 'recording_removed' ? [message.callId] : [])).toSorted();
    return { ...hosted, linkOf, states, removed };
  }

  test.each(['call-1', 'out_1'])(
    'with that of %s goes the one of the call that it is linked with, and no other',
    async (id) => {
      const { host, linkOf, states, removed } = recorded();
      expect(states()).toEqual([true, true, true]);
      linkOf(id).removeRecording?.();
      expect([states(), removed()]).toEqual([
        [false, false, true],
        ['call-1', 'out_1'],
      ]);
      expect(linkOf('out_1').tape?.isRunning).toBe(false);
      expect(readdirSync(directory).toSorted()).toEqual(['call-1', 'out_1']);
      host.stop();
      await until(() => host.callCount === 0, 'everything is closed');
    },
  );

  test('is removed too where the runner has been told elsewhere', async () => {
    const { host, states, removed } = recorded();
    host.receive({ type: 'remove_recording', callId: 'out_1' });
    host.receive({ type: 'remove_recording', callId: 'call-1' });
    expect([states(), removed()]).toEqual([
      [false, false, true],
      ['call-1', 'out_1'],
    ]);
    host.stop();
    await until(() => host.callCount === 0, 'everything is closed');
  });
});
