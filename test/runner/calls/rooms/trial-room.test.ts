import { EventEmitter } from 'node:events';
import { deferred } from '../../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../../src/base/errors.js';
import type { JoinOptions, RoomConnection, RoomEvents } from '../../../../src/providers/rooms/room-connection.js';
import type { RoomRequest } from '../../../../src/providers/rooms/room-provider.js';
import { joinRefused } from '../../../../src/providers/rooms/room-refusal.js';
import { type TrialOptions, tryRoom } from '../../../../src/runner/calls/rooms/trial-room.js';

const ROOM_URL = 'https://example.test/trial-room';

/** A provider with one room, which carries sound as it is told to. */
class OneRoom {
  readonly opened: Array<Omit<RoomRequest, 'name'>> = [];
  readonly closed: string[] = [];
  readonly tokens: string[] = [];
  readonly joined: JoinOptions[] = [];
  readonly inside: Participant[] = [];
  /** Whether sound of the one comes to the other. */
  carries: (from: number, to: number) => boolean = () => true;
  /** In place of letting the participant in. */
  refuses: (index: number) => Promise<never> | undefined = () => undefined;
  allowsDialout = true;
  /** What becomes of a transcription that is asked for; undefined: nothing. */
  transcribes: ((asker: Participant) => void) | undefined;
  opens: (signal?: AbortSignal) => Promise<void> = async () => {};

  options(signal?: AbortSignal): TrialOptions {
    return {
      keeper: {
        open: async (request, stop) => {
          await this.opens(stop);
          this.opened.push(request);
          return { name: 'trial-room', url: ROOM_URL, allowsDialout: this.allowsDialout };
        },
        close: (name) => void this.closed.push(name),
      },
      client: {
        createToken: async ({ roomName, isOwner }) => {
          this.tokens.push(`token-${this.tokens.length} of ${roomName}${isOwner ? ' for an owner' : ''}`);
          return this.tokens.at(-1) as string;
        },
      },
      joinFor: async (url) => async (options) => {
        expect(options.roomUrl).toBe(url);
        this.joined.push(options);
        await this.refuses(this.joined.length - 1);
        return new Participant(this) as unknown as RoomConnection;
      },
      signal,
    };
  }
}

class Participant extends EventEmitter<RoomEvents> {
  isOut = false;
  #heard: (pcm: Int16Array) => void = () => {};
  readonly #index: number;

  constructor(private readonly room: OneRoom) {
    super();
    this.#index = room.inside.push(this) - 1;
  }

  start(heard: (pcm: Int16Array) => void): void {
    this.#heard = heard;
  }

  say(pcm: Int16Array): void {
    for (const [index, other] of this.room.inside.entries()) {
      if (other === this) continue;
      other.#heard(this.room.carries(this.#index, index) ? pcm.slice() : new Int16Array(pcm.length));
    }
  }

  async startTranscription(): Promise<void> {
    this.room.transcribes?.(this);
  }

  async leave(): Promise<void> {
    this.isOut = true;
    this.emit('left', {});
  }
}

let room: OneRoom;

beforeEach(() => {
  room = new OneRoom();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

/** Lets the trial's time pass until it is over; a wrong one fails with the seconds it was given. */
async function over<T>(trial: Promise<T>, seconds = 31): Promise<{ result: PromiseSettledResult<T>; ms: number }> {
  const startedAt = performance.now();
  let result: PromiseSettledResult<T> | undefined;
  void Promise.allSettled([trial]).then(([settled]) => {
    result = settled;
  });
  for (let step = 0; step < seconds * 50 && !result; step += 1) await jest.advanceTimersByTimeAsync(20);
  if (!result) throw new Error(`not over after ${seconds} s`);
  return { result, ms: performance.now() - startedAt };
}

async function refusal(options: TrialOptions): Promise<{ error: VoicebotError; ms: number }> {
  const { result, ms } = await over(tryRoom(options));
  if (result.status === 'fulfilled') throw new Error('the trial went well');
  return { error: result.reason, ms };
}

const leftBehind = () => ({ inside: room.inside.filter(({ isOut }) => !isOut).length, closed: room.closed });
const NOTHING = { inside: 0, closed: ['trial-room'] };

test('two owners hear each other for a second in a room of two minutes, which is deleted', async () => {
  const before = Math.ceil(Date.now() / 1_000);
  const { result, ms } = await over(tryRoom(room.options()));
  expect(result).toEqual({ status: 'fulfilled', value: { joinMs: 0, isHeard: true, allowsDialout: true } });
  expect(ms).toBeLessThan(1_500);
  expect(room.opened).toMatchObject([{ allowsDialout: true, dialin: {}, expiresAt: expect.any(Number) }]);
  expect(room.opened[0]?.expiresAt).toBe(before + 120);
  expect(room.joined.map(({ token, sampleRate }) => ({ token, sampleRate }))).toEqual([
    { token: 'token-0 of trial-room for an owner', sampleRate: 16_000 },
    { token: 'token-1 of trial-room for an owner', sampleRate: 16_000 },
  ]);
  expect(leftBehind()).toEqual(NOTHING);
});

test.each<[what: string, transcribes: OneRoom['transcribes'], transcription: object]>([
  ['starts', (asker) => asker.emit('transcription_started', {}), { works: true }],
  [
    'is refused',
    (asker) => asker.emit('transcription_error', { errorMsg: 'not enabled' }),
    { works: false, problem: 'not enabled' },
  ],
  ['says nothing', undefined, { works: false, problem: 'no answer within 6 s' }],
])('tells of a transcription that %s', async (_, transcribes, transcription) => {
  room.transcribes = transcribes;
  const { result } = await over(tryRoom({ ...room.options(), transcribes: true }));
  expect(result).toEqual({
    status: 'fulfilled',
    value: { joinMs: 0, isHeard: true, allowsDialout: true, transcription },
  });
  expect(leftBehind()).toEqual(NOTHING);
});

test('says that the account may not dial out', async () => {
  room.allowsDialout = false;
  const { result } = await over(tryRoom(room.options()));
  expect(result).toMatchObject({ value: { allowsDialout: false, isHeard: true } });
});

test('sound that comes late counts: the first seconds may be lost', async () => {
  const from = performance.now() + 5_000;
  room.carries = () => performance.now() >= from;
  const { result, ms } = await over(tryRoom(room.options()));
  expect(result).toMatchObject({ value: { isHeard: true } });
  expect(ms).toBeGreaterThanOrEqual(5_500);
});

test.each([
  ['no sound: silence only', () => false, 'it let both participants in, but no sound came through'],
  ['half deaf: only the first is heard', (from: number) => from === 0, 'sound came through in one direction only'],
  ['every second frame is lost', () => Math.floor(performance.now() / 20) % 2 === 0, 'no sound came through'],
])('%s: refused, naming the firewall', async (_how, carries, words) => {
  room.carries = carries;
  const { error } = await refusal(room.options());
  expect(error).toMatchObject({ code: 'VB_ROOM_JOIN_FAILED', message: expect.stringContaining(words) });
  expect(error.hint).toMatch(/UDP.*TURN.*firewall/);
  expect(leftBehind()).toEqual(NOTHING);
});

test('a participant that hears itself only has not heard the other', async () => {
  room.carries = (from, to) => from === to;
  expect((await refusal(room.options())).error.message).toContain('no sound came through');
});

test('a room with one place: joined, and whether sound comes through is not known', async () => {
  const full = joinRefused({ error: 'meeting-full', info: 'the room is full' }, 'token');
  room.refuses = (index) => (index === 1 ? Promise.reject(full) : undefined);
  const { result } = await over(tryRoom(room.options()));
  expect(result).toMatchObject({ value: { isHeard: false } });
  expect(leftBehind()).toEqual(NOTHING);
});

test.each([
  ['the browser does not start', new VoicebotError('VB_BROWSER_FAILED', 'it ended', { hint: 'install it' })],
  ['nothing is loaded', new VoicebotError('VB_ROOMS_UNREACHABLE', 'https://c.example.test/bundle.js')],
  ['the room is full for the first', joinRefused({ error: 'meeting-full', info: '' }, '')],
])('%s: its own error, and the room is deleted', async (_how, problem) => {
  room.refuses = () => Promise.reject(problem);
  expect((await refusal(room.options())).error).toBe(problem);
  expect(leftBehind()).toEqual(NOTHING);
});

test('the second participant is refused: its error, and the first leaves', async () => {
  const problem = joinRefused({ error: 'exp-token', info: 'the token has expired' }, 'token');
  room.refuses = (index) => (index === 1 ? Promise.reject(problem) : undefined);
  expect((await refusal(room.options())).error).toBe(problem);
  expect(leftBehind()).toEqual(NOTHING);
});

test('removed from the room while it listens: refused with the reason', async () => {
  room.carries = () => false;
  const trial = tryRoom(room.options());
  const seen = over(trial);
  while (room.inside.length < 2) await new Promise(setImmediate);
  room.inside[1]?.emit('left', { error: new Error('removed from the room: by its owner') });
  expect((await seen).result).toMatchObject({
    reason: { code: 'VB_ROOM_JOIN_FAILED', message: expect.stringContaining('removed from the room') },
  });
  expect(leftBehind()).toEqual(NOTHING);
});

test('a room that never lets anybody in: given up after 28 s, and who comes in later leaves', async () => {
  const door = deferred<never>();
  room.refuses = () => door.promise;
  const { error, ms } = await refusal(room.options());
  expect({ code: error.code, seconds: Math.round(ms / 1_000) }).toEqual({ code: 'VB_ROOM_JOIN_FAILED', seconds: 28 });
  expect(leftBehind()).toEqual({ inside: 0, closed: ['trial-room'] });
  door.resolve(undefined as never);
  await new Promise(setImmediate);
  expect(room.inside.map(({ isOut }) => isOut)).toEqual([true]);
});

test('a participant that never leaves holds the trial up for two seconds', async () => {
  jest.spyOn(Participant.prototype, 'leave').mockImplementation(() => new Promise(() => {}));
  const { result, ms } = await over(tryRoom(room.options()));
  jest.restoreAllMocks();
  expect(result).toMatchObject({ value: { isHeard: true } });
  expect(ms).toBeGreaterThanOrEqual(2_800);
  expect(room.closed).toEqual(['trial-room']);
});

describe('given up from outside: rejects at once with the reason, and nothing is left', () => {
  const reason = new Error('Ctrl+C');

  test('before it starts', async () => {
    expect((await refusal(room.options(AbortSignal.abort(reason)))).error).toBe(reason);
    expect({ opened: room.opened, ...leftBehind() }).toEqual({ opened: [], inside: 0, closed: [] });
  });

  test('while the room is created', async () => {
    const abort = new AbortController();
    room.opens = (signal) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error())));
    const seen = refusal(room.options(abort.signal));
    abort.abort(reason);
    expect((await seen).error).toBe(reason);
  });

  test('while the room is joined', async () => {
    const abort = new AbortController();
    room.refuses = () => deferred<never>().promise;
    const seen = refusal(room.options(abort.signal));
    while (room.joined.length === 0) await new Promise(setImmediate);
    abort.abort(reason);
    expect((await seen).error).toBe(reason);
    expect(leftBehind()).toEqual(NOTHING);
  });

  test('while it listens', async () => {
    const abort = new AbortController();
    room.carries = () => false;
    const seen = refusal(room.options(abort.signal));
    while (room.inside.length < 2) await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(1_000);
    abort.abort(reason);
    expect((await seen).error).toBe(reason);
    expect(leftBehind()).toEqual(NOTHING);
  });
});
