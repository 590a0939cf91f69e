import { settlesWithin, withDeadline } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { VoicebotError } from '../../../base/errors.js';
import type { JoinOptions, RoomConnection, RoomEvents } from '../../../providers/rooms/room-connection.js';

/** Longest wait for the room to let us in, in milliseconds. */
const JOIN_LIMIT_MS = 8_000;
/** How much later a connection that keeps no limit is given up, in milliseconds. */
const JOIN_SLACK_MS = 500;
/** Longest wait for the room to let us go, in milliseconds. */
const LEAVE_LIMIT_MS = 2_000;

export type RoomListener = { readonly [Name in keyof RoomEvents]: (...args: RoomEvents[Name]) => void };

/** Joins the one room that this is about. */
export type JoinThisRoom = (options: Pick<JoinOptions, 'sampleRate' | 'limitMs' | 'signal'>) => Promise<RoomConnection>;

/** `outside -> in -> gone`, once; it may be gone without having been in. */
export class RoomPresence {
  #connection: RoomConnection | undefined;
  readonly #entered = deferred<RoomConnection>();
  readonly #givenUp = deferred<never>();
  readonly #abort = new AbortController();
  #leaving: Promise<void> | undefined;
  #isGone = false;

  constructor(
    private readonly join: JoinThisRoom,
    private readonly listener: RoomListener,
  ) {}

  /** Undefined before we are in the room, and afterwards. */
  get connection(): RoomConnection | undefined {
    return this.#connection;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /**
   * Enters the room. Call it once.
   * @param onEntered called before {@link entered} resolves; starts the connection
   * @throws VoicebotError VB_ROOM_JOIN_FAILED, or whatever the connection cannot join with; nothing is left open
   */
  async enter(sampleRate: number, onEntered: (connection: RoomConnection) => void): Promise<void> {
    const joining = Promise.resolve().then(() =>
      this.join({ sampleRate, limitMs: JOIN_LIMIT_MS, signal: this.#abort.signal }),
    );
    try {
      const settled = Promise.race([joining, this.#givenUp.promise]);
      const connection = await withDeadline(settled, JOIN_LIMIT_MS + JOIN_SLACK_MS, notInTime);
      if (this.#isGone) throw gone();
      this.#listen(connection);
      this.#connection = connection;
      onEntered(connection);
      this.#entered.resolve(connection);
    } catch (error) {
      this.#abort.abort();
      this.#entered.reject(error);
      joining.then((late) => late.leave()).catch(() => {}); // it was to fail
      throw error;
    }
  }

  /**
   * Waits until we are in the room.
   * @throws VoicebotError VB_STREAM_CLOSED when we have left, and as {@link enter}
   */
  async entered(): Promise<RoomConnection> {
    const connection = await withDeadline(this.#entered.promise, JOIN_LIMIT_MS + JOIN_SLACK_MS, notInTime);
    if (this.#isGone) throw gone();
    return connection;
  }

  /** Resolves when we are out of the room. Never rejects, safe to call twice. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    const connection = this.#connection;
    this.#setGone();
    if (!connection) return;
    await settlesWithin(connection.leave(), LEAVE_LIMIT_MS);
    this.#unlisten({});
  }

  #setGone(): void {
    this.#isGone = true;
    this.#connection = undefined;
    this.#givenUp.reject(gone());
    this.#entered.reject(gone());
    this.#abort.abort();
  }

  #listen(connection: RoomConnection): void {
    const { left, ...listener } = this.listener;
    const entries = Object.entries(listener) as [keyof RoomEvents, () => void][];
    for (const [name, handle] of entries) connection.on(name, handle);
    const onLeft = (data: RoomEvents['left'][0]) => this.#unlisten(data);
    connection.on('left', onLeft);
    this.#unlisten = (data) => {
      this.#unlisten = () => {};
      for (const [name, handle] of entries) connection.off(name, handle);
      connection.off('left', onLeft);
      this.#setGone();
      left(data);
    };
  }

  /** Stops listening and says that we have left, once. */
  #unlisten: (data: RoomEvents['left'][0]) => void = () => {};
}

const gone = () => new VoicebotError('VB_STREAM_CLOSED', 'the bot is not in the room any more');
const notInTime = () => new VoicebotError('VB_ROOM_JOIN_FAILED', `not within ${JOIN_LIMIT_MS / 1_000} s`);
