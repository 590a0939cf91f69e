import { randomUUID } from 'node:crypto';
import { settlesWithin, withDeadline } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { FrameClock } from '../../../base/async/frame-clock.js';
import { TestTone } from '../../../base/audio/test-tone.js';
import type { JoinRoom, RoomConnection } from '../../../providers/rooms/room-connection.js';
import type { Room, RoomsRestClient } from '../../../providers/rooms/room-provider.js';
import { JoinRefusedError, joinFailed } from '../../../providers/rooms/room-refusal.js';
import { ROOM_IDLE_S, type RoomKeeper } from './room-keeper.js';

/** Longest a trial may take without leaving, and leaving, in milliseconds: 30 s together. */
const TRIAL_LIMIT_MS = 28_000;
const LEAVE_LIMIT_MS = 2_000;
/** Longest wait for a room to let one participant in, in milliseconds. */
const JOIN_LIMIT_MS = 15_000;
/** Longest wait for the sound of the other participant, in milliseconds. */
const HEAR_LIMIT_MS = 8_000;
/** Longest wait for the provider's transcription to start, in milliseconds. */
const TRANSCRIPTION_LIMIT_MS = 6_000;
/** After this the provider ends the room, should deleting it fail, in seconds. */
const ROOM_LASTS_S = 120;

const SAMPLE_RATE = 16_000;
/** Of the two participants, in hertz. */
const FREQUENCIES = [700, 1_100] as const;
/** A participant hears the other one when of the last second, 50 frames of 20 ms, so many hold the other's tone. */
const SECOND_FRAMES = 50;
const TONE_FRAMES = 40;

/** How a trial room went. */
export interface RoomTrial {
  /** From asking to be let in to being in the room, for the first participant, in milliseconds. */
  readonly joinMs: number;
  /** Whether sound went both ways; false where the room has a place for one participant only, and it could not be tried. */
  readonly isHeard: boolean;
  /** Whether the account lets calls go out of its rooms. */
  readonly allowsDialout: boolean;
  /** What the provider's transcription did when it was asked to start; undefined where it was not tried. */
  readonly transcription?: TrialTranscription | undefined;
}

/** That it started, or why not. */
export type TrialTranscription = { readonly works: true } | { readonly works: false; readonly problem: string };

export interface TrialOptions {
  client: Pick<RoomsRestClient, 'createToken'>;
  keeper: Pick<RoomKeeper, 'open' | 'close'>;
  /** What joins the room at this address. */
  joinFor: (roomUrl: string) => Promise<JoinRoom>;
  /** Whether transcription is tried, too. */
  transcribes?: boolean | undefined;
  /** Gives the trial up. */
  signal?: AbortSignal | undefined;
}

/**
 * Creates a room as for a call, joins it as two participants, has each say a second of sound that the other hears, leaves
 * and deletes the room: what must work for a call, tried before anybody calls. Takes at most 30 s.
 * @throws VoicebotError VB_ROOM_JOIN_FAILED when the room lets no participant in, no sound comes through, or it takes too long;
 *   VB_BROWSER_FAILED; VB_CREDENTIALS_REFUSED, VB_ROOMS_REQUEST_FAILED, VB_ROOMS_UNREACHABLE
 * @throws the signal's reason when that is aborted
 */
export async function tryRoom({ client, keeper, joinFor, transcribes, signal }: TrialOptions): Promise<RoomTrial> {
  const late = new AbortController();
  const onLate = () => late.abort(joinFailed(`the trial took more than ${TRIAL_LIMIT_MS / 1_000} s`));
  const timer = setTimeout(onLate, TRIAL_LIMIT_MS);
  const stop = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    stop.throwIfAborted();
    const expiresAt = Math.ceil(Date.now() / 1_000) + ROOM_LASTS_S;
    const request = { dialin: { displayName: 'trial' }, allowsDialout: true, expiresAt, idleSeconds: ROOM_IDLE_S };
    const room = await keeper.open(request, stop);
    const visit = new Visit(room, { client, joinFor, transcribes, expiresAt, signal: stop });
    try {
      return { ...(await visit.run()), allowsDialout: room.allowsDialout };
    } finally {
      await visit.end();
      keeper.close(room.name);
    }
  } catch (error) {
    throw stop.aborted ? stop.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

interface VisitOptions extends Pick<TrialOptions, 'client' | 'joinFor' | 'transcribes'> {
  /** Of the tokens, in seconds since the epoch. */
  readonly expiresAt: number;
  readonly signal: AbortSignal;
}

/** Two participants in a room. */
class Visit {
  readonly #present: RoomConnection[] = [];
  /** Rejects when the trial is given up. */
  readonly #stopped: Promise<never>;

  constructor(
    private readonly room: Room,
    private readonly options: VisitOptions,
  ) {
    const { signal } = options;
    const stopped = deferred<never>();
    signal.addEventListener('abort', () => stopped.reject(signal.reason), { once: true });
    this.#stopped = stopped.promise;
  }

  async run(): Promise<Omit<RoomTrial, 'allowsDialout'>> {
    const startedAt = performance.now();
    const first = await this.#enter();
    const joinMs = Math.round(performance.now() - startedAt);
    const second = await this.#enter().catch((error: unknown) => {
      if (error instanceof JoinRefusedError && error.type === 'meeting-full') return undefined;
      throw error;
    });
    if (second) await this.#hearEachOther(first, second);
    else first.start(() => {});
    const transcription = this.options.transcribes ? await this.#transcribe(first) : undefined;
    return { joinMs, isHeard: second !== undefined, ...(transcription && { transcription }) };
  }

  /** Leaves the room. Never rejects. */
  async end(): Promise<void> {
    const leaving = this.#present.map((connection) => connection.leave());
    await settlesWithin(Promise.allSettled(leaving), LEAVE_LIMIT_MS);
  }

  /** A participant that comes in after the trial was given up leaves at once. */
  async #enter(): Promise<RoomConnection> {
    const joining = this.#join();
    try {
      const connection = await Promise.race([joining, this.#stopped]);
      this.#present.push(connection);
      return connection;
    } catch (error) {
      joining.then((late) => late.leave()).catch(() => {});
      throw error;
    }
  }

  async #join(): Promise<RoomConnection> {
    const { client, joinFor, expiresAt, signal } = this.options;
    const token = await client.createToken({ roomName: this.room.name, isOwner: true, expiresAt }, signal);
    const join = await joinFor(this.room.url);
    const userName = this.#present.length === 0 ? 'trial' : 'second participant of the trial';
    return join({
      roomUrl: this.room.url,
      token,
      userName,
      sampleRate: SAMPLE_RATE,
      limitMs: JOIN_LIMIT_MS,
      signal,
    });
  }

  async #transcribe(connection: RoomConnection): Promise<TrialTranscription> {
    const verdict = deferred<TrialTranscription>();
    const fails = (problem: string) => verdict.resolve({ works: false, problem });
    connection.on('transcription_started', () => verdict.resolve({ works: true }));
    connection.on('transcription_error', ({ errorMsg }) => fails(errorMsg || 'an error without words'));
    const late = setTimeout(
      () => fails(`no answer within ${TRANSCRIPTION_LIMIT_MS / 1_000} s`),
      TRANSCRIPTION_LIMIT_MS,
    );
    const asked = connection.startTranscription?.({ instanceId: randomUUID() });
    if (asked) asked.catch((error: Error) => fails(error.message));
    else fails('what joins the room cannot ask for transcription');
    try {
      return await Promise.race([verdict.promise, this.#stopped]);
    } finally {
      clearTimeout(late);
    }
  }

  async #hearEachOther(first: RoomConnection, second: RoomConnection): Promise<void> {
    const [low, high] = FREQUENCIES.map((frequency) => new TestTone(frequency, SAMPLE_RATE)) as [TestTone, TestTone];
    const ears = [new TrialEar(first, high), new TrialEar(second, low)];
    const hushed = new FrameClock().onTick(() => {
      first.say(low.frame);
      second.say(high.frame);
    });
    try {
      const heard = Promise.all(ears.map((ear) => ear.heard));
      await withDeadline(Promise.race([heard, this.#stopped]), HEAR_LIMIT_MS, () =>
        notHeard(ears.some(({ hasHeard }) => hasHeard)),
      );
    } finally {
      hushed();
    }
  }
}

/** Listens for a second of a tone. */
class TrialEar {
  /** Rejects when the room is lost before. */
  readonly heard: Promise<void>;
  hasHeard = false;
  /** Whether each frame of the last second held the tone. */
  readonly #frames: boolean[] = [];

  constructor(connection: RoomConnection, tone: TestTone) {
    const heard = deferred();
    this.heard = heard.promise;
    connection.on('left', ({ error }) => heard.reject(joinFailed(error?.message ?? 'the room was left')));
    connection.start((pcm) => {
      this.#frames.push(tone.isIn(pcm));
      if (this.#frames.length > SECOND_FRAMES) this.#frames.shift();
      if (this.#frames.filter(Boolean).length < TONE_FRAMES) return;
      this.hasHeard = true;
      heard.resolve();
    });
  }
}

const notHeard = (isOneWay: boolean) =>
  joinFailed(
    isOneWay
      ? 'it let both participants in, but sound came through in one direction only'
      : 'it let both participants in, but no sound came through',
    {
      hint: "let UDP to the provider's servers, or TCP port 443 to its TURN servers, through the firewalls of this machine and its network",
    },
  );
