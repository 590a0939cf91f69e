import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endedCallAt, failureOf } from '../../../src/cli/call/call-verdict.js';
import { HANGUP_CAUSES, type HangupCause } from '../../../src/sandbox/network/hangup-causes.js';

const endedWith = ({ code, name }: Pick<HangupCause, 'code' | 'name'>) => ({
  callId: 'a',
  cause: name,
  code,
  source: 'Plivo',
  durationMs: 1_000,
});

test.each(['normal', 'cancelled'] as const)('an answered call that ended %s succeeded', (cause) => {
  expect(failureOf(endedWith(HANGUP_CAUSES[cause]), true, undefined)).toBeUndefined();
  expect(
    failureOf(endedWith(HANGUP_CAUSES[cause]), true, { endReason: 'caller_hung_up', connectedAt: 1 }),
  ).toBeUndefined();
});

test.each(['endOfXml', 'noAnswer', 'busy', 'answerUnreachable', 'redirectInvalid', 'platformError'] as const)(
  'a call that ended with %s did not succeed',
  (cause) => {
    const failure = failureOf(endedWith(HANGUP_CAUSES[cause]), true, undefined);
    expect(failure).toMatchObject({ code: 'VB_CALL_FAILED' });
    expect(failure?.message).toContain(HANGUP_CAUSES[cause].name);
  },
);

test('a call that ended with its document succeeded when its media stream had ended in order, or there was none', () => {
  expect(failureOf(endedWith(HANGUP_CAUSES.endOfXml), true, undefined, true)).toBeUndefined();
  expect(failureOf(endedWith(HANGUP_CAUSES.endOfXml), true, undefined, false)?.hint).toContain('The stream ended');
});

test('a call nobody answered did not succeed, however it ended', () => {
  expect(failureOf(endedWith(HANGUP_CAUSES.normal), false, undefined)?.message).toContain('not answered');
});

test.each(['bot_crashed', 'bot_timeout', 'no_bot', 'not_connected', 'provider_error', 'telephony_error'] as const)(
  'a call the runner ended with %s did not succeed',
  (reason) => {
    expect(failureOf(endedWith(HANGUP_CAUSES.normal), true, { endReason: reason })?.message).toContain(`${reason}`);
  },
);

test('a call that its caller left before a bot had it did not succeed', () => {
  const failure = failureOf(endedWith(HANGUP_CAUSES.cancelled), true, { endReason: 'caller_hung_up' });
  expect(failure).toMatchObject({ code: 'VB_CALL_FAILED', message: expect.stringContaining('no bot was connected') });
  expect(failureOf(endedWith(HANGUP_CAUSES.normal), true, { endReason: 'bot_ended' })).toBeUndefined();
});

test('says what to look at when a document could not be fetched or read', () => {
  expect(failureOf(endedWith(HANGUP_CAUSES.answerUnreachable), false, undefined)?.hint).toContain(
    'is the server running',
  );
  expect(failureOf(endedWith(HANGUP_CAUSES.answerInvalid), false, undefined)?.hint).toContain('not with a document');
});

describe('asking the runner', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function runner(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('waits until it has noticed the end', async () => {
    const records = [{ state: 'connected' }, { state: 'ended', endReason: 'bot_ended' }];
    const paths: Array<string | undefined> = [];
    const url = await runner((request, response) => {
      paths.push(request.url);
      response.end(JSON.stringify(records.shift()));
    });
    expect(await endedCallAt(url, 'a/../b')).toMatchObject({ endReason: 'bot_ended' });
    expect(paths).toEqual(['/calls/a%2F..%2Fb', '/calls/a%2F..%2Fb']);
  });

  test('shows it its token', async () => {
    const url = await runner(({ headers }, response) => {
      const endReason = headers.authorization === 'Bearer a-token' ? 'bot_ended' : undefined;
      response.writeHead(endReason ? 200 : 401).end(JSON.stringify({ state: 'ended', endReason }));
    });
    expect(await endedCallAt(url, 'a', 'a-token')).toMatchObject({ endReason: 'bot_ended' });
    expect(await endedCallAt(url, 'a')).toBeUndefined();
  });

  test.each([
    ['does not know the call', (_request, response) => response.writeHead(404).end()],
    ['answers nonsense', (_request, response) => response.end('<html>')],
    ['hangs up on us', (request) => request.socket.destroy()],
  ] satisfies Array<[string, RequestListener]>)('knows nothing when the runner %s', async (_title, listener) => {
    expect(await endedCallAt(await runner(listener), 'a')).toBeUndefined();
  });
});
