import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VoicebotError } from '../../../../src/base/errors.js';
import { ProviderRequestError } from '../../../../src/base/http/provider-request-error.js';
import { type LogFields, type Logger, silentLogger } from '../../../../src/base/logger.js';
import { HangupJournal } from '../../../../src/runner/calls/debts/hangup-journal.js';
import { Hangups } from '../../../../src/runner/calls/debts/hangups.js';

const ACCOUNT = { carrier: 'plivo', authId: 'MATEST', apiUrl: 'http://127.0.0.1:1/v1' };
const NEVER = new AbortController().signal;
const NOW = AbortSignal.abort();

type Reply = 'ended' | 'already_ended' | Error | 'no answer';

/** The carrier's client, whose every answer is the test's; the last one is repeated. */
class HandClient {
  readonly asked: string[] = [];
  /** What the journal held at the time of each request. */
  readonly written: string[][] = [];
  readonly #replies: Reply[];

  constructor(...replies: Reply[]) {
    this.#replies = replies;
  }

  hangUp = async (callId: string, signal?: AbortSignal): Promise<'ended' | 'already_ended'> => {
    this.asked.push(callId);
    this.written.push(files());
    const reply = (this.#replies.length > 1 ? this.#replies.shift() : this.#replies[0]) ?? 'ended';
    if (reply instanceof Error) throw reply;
    if (reply !== 'no answer') return reply;
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  };
}

const failed = (status: number) =>
  new ProviderRequestError('VB_CARRIER_REQUEST_FAILED', `hanging up got status ${status}`, { status });
const refused = () => new VoicebotError('VB_CREDENTIALS_REFUSED');
const unreachable = () => new VoicebotError('VB_CARRIER_UNREACHABLE');

let state: string;
let lines: [level: string, message: string, fields: LogFields | undefined][];
let logger: Logger;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'voicebot-hangups-'));
  lines = [];
  const write = (level: string) => (message: string, fields?: LogFields) => void lines.push([level, message, fields]);
  logger = { ...silentLogger, warn: write('warn'), error: write('error') };
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'Date'] });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  rmSync(state, { recursive: true });
});

const newHangups = (client: HandClient, stateDirectory = state) =>
  new Hangups({ client, journal: new HangupJournal(stateDirectory, ACCOUNT), logger });
function files(): string[] {
  try {
    return readdirSync(join(state, 'hangups')).sort();
  } catch {
    return [];
  }
}
const passing = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const messages = () => lines.map(([, message]) => message);

describe('a call that is owed', () => {
  test.each([
    ['is written down before the first request, and crossed out when the carrier has ended it', 'ended'],
    ['is ended too when the carrier knows no such call', 'already_ended'],
  ] as const)('%s', async (_title, reply) => {
    const client = new HandClient(reply);
    newHangups(client).ensureEnded('call-1');
    expect(client).toMatchObject({ asked: ['call-1'], written: [['call-1.json']] });
    expect(files()).toEqual(['call-1.json']);
    await passing(0);
    expect(files()).toEqual([]);
    await passing(3_600_000);
    expect(client.asked).toEqual(['call-1']);
    expect(lines).toEqual([]);
  });

  test('is asked for again after a failure, each time later, and stays written down until it is ended', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const client = new HandClient(failed(503), unreachable(), failed(429), 'ended');
    newHangups(client).ensureEnded('call-1');
    for (const [tries, pauseMs] of [
      [2, 500],
      [3, 1_000],
      [4, 2_000],
    ] as const) {
      await passing(pauseMs - 1);
      expect(client.asked).toHaveLength(tries - 1);
      await passing(1);
      expect(client.asked).toHaveLength(tries);
    }
    expect(client.written).toEqual(Array.from({ length: 4 }, () => ['call-1.json']));
    expect(files()).toEqual([]);
    expect(messages()).toEqual(Array.from({ length: 3 }, () => 'hang-up not confirmed, trying again'));
  });

  test('is never given up, and asked for every 30 s in the long run', async () => {
    const client = new HandClient(failed(503));
    newHangups(client).ensureEnded('call-1');
    await passing(10 * 60_000);
    const before = client.asked.length;
    await passing(60 * 60_000);
    expect(client.asked.length - before).toBe(120);
    expect(files()).toEqual(['call-1.json']);
  });

  test('is asked for at other times than its neighbours after a failure of all', async () => {
    const client = new HandClient(failed(503));
    const hangups = newHangups(client);
    const calls = Array.from({ length: 50 }, (_, n) => `call-${n}`);
    for (const callId of calls) hangups.ensureEnded(callId);
    await passing(499);
    expect(client.asked).toHaveLength(50);
    await passing(251);
    const atHalfTime = client.asked.length - 50;
    expect(atHalfTime).toBeGreaterThan(5);
    expect(atHalfTime).toBeLessThan(45);
    await passing(251);
    expect(client.asked).toHaveLength(100);
  });

  test('is asked for once when it is owed twice, with whatever grace', async () => {
    const client = new HandClient('no answer');
    const hangups = newHangups(client);
    hangups.ensureEnded('call-1');
    hangups.ensureEnded('call-1');
    hangups.ensureEnded('call-1', 1_000);
    await passing(5_000);
    expect(client.asked).toEqual(['call-1']);
  });

  test('does not wait for another one', async () => {
    const client = new HandClient('no answer', 'ended');
    const hangups = newHangups(client);
    hangups.ensureEnded('call-1');
    hangups.ensureEnded('call-2');
    await passing(0);
    expect(client.asked).toEqual(['call-1', 'call-2']);
    expect(files()).toEqual(['call-1.json']);
  });

  test('can be owed again when it was ended: the carrier may have placed it twice', async () => {
    const client = new HandClient('ended');
    const hangups = newHangups(client);
    hangups.ensureEnded('call-1');
    await passing(0);
    hangups.ensureEnded('call-1');
    await passing(0);
    expect(client.asked).toEqual(['call-1', 'call-1']);
    expect(files()).toEqual([]);
  });
});

describe('with a grace', () => {
  test('somebody else may end the call first, and then no request is sent', async () => {
    const client = new HandClient('ended');
    const hangups = newHangups(client);
    hangups.ensureEnded('call-1', 2_000);
    expect(files()).toEqual(['call-1.json']);
    await passing(1_999);
    hangups.settled('call-1');
    expect(files()).toEqual([]);
    await passing(60_000);
    expect(client.asked).toEqual([]);
    expect(lines).toEqual([]);
  });

  test('the call is ended when nobody has by then', async () => {
    const client = new HandClient('ended');
    newHangups(client).ensureEnded('call-1', 2_000);
    await passing(1_999);
    expect(client.asked).toEqual([]);
    await passing(1);
    expect(client.asked).toEqual(['call-1']);
    expect(files()).toEqual([]);
  });
});

describe('when the carrier says that the call is over', () => {
  test.each<[string, Reply, string[]]>([
    ['a request on its way is taken back without a warning', 'no answer', []],
    ['nothing is asked for again', failed(503), ['hang-up not confirmed, trying again']],
  ])('%s', async (_title, reply, said) => {
    const client = new HandClient(reply);
    const hangups = newHangups(client);
    hangups.ensureEnded('call-1');
    await passing(100);
    hangups.settled('call-1');
    await passing(60_000);
    expect(client.asked).toEqual(['call-1']);
    expect(files()).toEqual([]);
    expect(messages()).toEqual(said);
  });

  test('of one that nobody owes, nothing happens', async () => {
    const client = new HandClient('ended');
    const hangups = newHangups(client);
    hangups.ensureEnded('call-1', 1_000);
    hangups.settled('call-2');
    expect(files()).toEqual(['call-1.json']);
    await passing(1_000);
    expect(client.asked).toEqual(['call-1']);
  });
});

describe('what no repetition can mend', () => {
  test.each([
    ['refused credentials', refused()],
    ['an identifier that is none', new VoicebotError('VB_IDENTIFIER_INVALID')],
  ])('%s: asked once, said aloud, and left to the next runner', async (_, error) => {
    const client = new HandClient(error);
    newHangups(client).ensureEnded('call-1');
    await passing(3_600_000);
    expect(client.asked).toEqual(['call-1']);
    expect(files()).toEqual(['call-1.json']);
    expect(lines).toEqual([
      ['error', 'a call could not be ended at the carrier and may go on', { providerCallId: 'call-1', error }],
    ]);
    const next = new HandClient('ended');
    expect(newHangups(next).replay()).toBe(1);
    await passing(0);
    expect(next.asked).toEqual(['call-1']);
    expect(files()).toEqual([]);
  });
});

describe('the end of the runner', () => {
  test('with nothing owed is immediate', async () => {
    await newHangups(new HandClient('ended')).close(NEVER);
  });

  test('waits a moment for open hang-ups', async () => {
    const client = new HandClient(failed(503), 'ended');
    const hangups = newHangups(client);
    hangups.ensureEnded('call-1');
    const closed = hangups.close(NEVER);
    await passing(1_000);
    await closed;
    expect(client.asked).toHaveLength(2);
    expect(files()).toEqual([]);
  });

  test('leaves what is open after 3 s on disk, and asks for nothing more', async () => {
    const client = new HandClient('no answer');
    const hangups = newHangups(client);
    hangups.ensureEnded('call-1');
    let isClosed = false;
    const closed = hangups.close(NEVER).then(() => {
      isClosed = true;
    });
    await passing(2_999);
    expect(isClosed).toBe(false);
    await passing(1);
    await closed;
    await passing(3_600_000);
    expect(client.asked).toEqual(['call-1']);
    expect(files()).toEqual(['call-1.json']);
    expect(lines).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('does not wait when it hurries, at once or from some moment on', async () => {
    const client = new HandClient('no answer');
    const [first, second] = [newHangups(client), newHangups(client)];
    first.ensureEnded('call-1');
    await first.close(NOW);
    second.ensureEnded('call-2', 60_000);
    const hurry = new AbortController();
    const closed = second.close(hurry.signal);
    await passing(1_000);
    hurry.abort();
    await closed;
    await passing(3_600_000);
    expect(client.asked).toEqual(['call-1']);
    expect(files()).toEqual(['call-1.json', 'call-2.json']);
  });

  test('only writes down what is owed after it', async () => {
    const client = new HandClient('ended');
    const hangups = newHangups(client);
    await hangups.close(NEVER);
    hangups.ensureEnded('call-1');
    await passing(3_600_000);
    expect(client.asked).toEqual([]);
    expect(files()).toEqual(['call-1.json']);
  });
});

describe('the next runner', () => {
  test('ends what an earlier one has left', async () => {
    const earlier = newHangups(new HandClient('no answer'));
    earlier.ensureEnded('call-1');
    earlier.ensureEnded('call-2', 60_000);
    await earlier.close(NOW);
    const client = new HandClient(failed(503), 'ended');
    expect(newHangups(client).replay()).toBe(2);
    await passing(1_000);
    expect(client.asked.sort()).toEqual(['call-1', 'call-1', 'call-2']);
    expect(files()).toEqual([]);
  });

  test('has nothing to do when nothing was left', () => {
    expect(newHangups(new HandClient()).replay()).toBe(0);
  });
});

describe('a journal that cannot be used', () => {
  const noFolder = () => {
    writeFileSync(join(state, 'file'), '');
    return join(state, 'file', 'state');
  };

  test('does not keep a call from being ended, again and again', async () => {
    const client = new HandClient(failed(503), 'ended');
    newHangups(client, noFolder()).ensureEnded('call-1');
    await passing(1_000);
    expect(client.asked).toEqual(['call-1', 'call-1']);
    expect(messages()[0]).toBe('the journal of hang-ups could not be written');
  });

  test('does not keep the runner from starting', () => {
    expect(newHangups(new HandClient(), noFolder()).replay()).toBe(0);
    expect(lines).toEqual([
      ['error', 'the journal of hang-ups could not be read', { error: expect.objectContaining({ code: 'ENOTDIR' }) }],
    ]);
  });

  test('does not keep a call from being settled', async () => {
    const client = new HandClient('ended');
    const hangups = newHangups(client, noFolder());
    hangups.ensureEnded('call-1', 1_000);
    hangups.settled('call-1');
    await passing(60_000);
    expect(client.asked).toEqual([]);
  });
});
