import { settlesWithin, withDeadline } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import type { VoicebotErrorOptions } from '../../../base/errors.js';
import type { JsonFields } from '../../../base/http/json-fields.js';
import { isLoopbackName } from '../../../base/http/loopback-host.js';
import type { RoomMethod, WireError } from '../client-messages.js';
import { hearsOnly, JoinedRoom, type RoomCarriage } from '../joined-room.js';
import type { JoinOptions, JoinRoom } from '../room-connection.js';
import { joinFailed, joinRefused, RemovedError } from '../room-refusal.js';
import { PeerAudio } from './peer-audio.js';
import { RoomSocket } from './room-socket.js';
import type { RoomMessage } from './room-wire.js';

/** How long leaving may take, in milliseconds. */
const LEAVE_LIMIT_MS = 1_000;

/**
 * Joins a room whose server speaks the protocol of `room-wire.ts`.
 * @throws VoicebotError VB_ROOM_JOIN_FAILED
 */
export const joinWebRtcRoom: JoinRoom = async (options) => {
  const connection = new WebRtcConnection(options);
  await connection.join();
  return connection.room;
};

type Joined = Extract<RoomMessage, { type: 'joined' }>;

/** Carries presence in a room by a socket for what is said about it, and WebRTC for what is heard in it. */
class WebRtcConnection implements RoomCarriage {
  readonly room: JoinedRoom;
  readonly #options: JoinOptions;
  readonly #socket: RoomSocket;
  readonly #peer: PeerAudio;
  readonly #joined = deferred<Joined>();
  /** Why joining came to nothing. */
  readonly #failed = deferred<never>();
  #isJoining = true;
  #closing: Promise<void> | undefined;

  /** Begins to connect. @throws VoicebotError VB_ROOM_JOIN_FAILED for an address that is none */
  constructor(options: JoinOptions) {
    const url = roomAddress(options.roomUrl);
    this.#options = options;
    this.room = new JoinedRoom(this, options.token);
    this.#peer = new PeerAudio({
      sampleRate: options.sampleRate,
      codecs: options.sampleRate > 8_000 ? ['opus', 'PCMU'] : ['PCMU', 'opus'],
      isLocal: isLoopbackName(url.hostname),
    });
    this.#peer.onClosed(() => this.#lost('the audio of the room was lost'));
    this.#socket = new RoomSocket(url, {
      received: (message) => this.#received(message),
      garbage: () => {
        if (this.#isJoining) this.#lost(`${url.host} answered something unreadable`);
      },
      lost: (detail, options) => this.#lost(detail, options),
    });
  }

  /** Leaves nothing open when it fails. @throws VoicebotError VB_ROOM_JOIN_FAILED */
  async join(): Promise<void> {
    const { limitMs, signal } = this.#options;
    const giveUp = (): void => this.#lost('joining was given up');
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await withDeadline(Promise.race([this.#failed.promise, this.#enter()]), limitMs, () =>
        joinFailed(`the room was not joined within ${limitMs} ms`),
      );
    } catch (error) {
      await this.leave();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  request(request: { readonly id: number; readonly method: RoomMethod; readonly params: JsonFields }): void {
    this.#socket.send({ type: 'request', ...request });
  }

  say(pcm: Int16Array): void {
    this.#peer.say(pcm);
  }

  hear(): Int16Array {
    return this.#peer.hear();
  }

  hearOnly(sessionIds: readonly string[] | undefined): void {
    this.#socket.send(hearsOnly(this.room.sessionId, sessionIds));
  }

  leave(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#socket.send({ type: 'leave' });
    await Promise.all([settlesWithin(this.#peer.close(), LEAVE_LIMIT_MS), this.#socket.close(LEAVE_LIMIT_MS)]);
  }

  /** The room's answer may come with events that follow at once: they are told as those of a participant. */
  async #enter(): Promise<void> {
    const { token, userName, limitMs } = this.#options;
    const [sdp] = await Promise.all([this.#peer.offer(), this.#socket.opened]);
    this.#socket.send({ type: 'join', token, userName, sdp });
    const joined = await this.#joined.promise;
    await this.#peer.accept(joined.sdp);
    await this.#peer.connected(limitMs);
    this.#isJoining = false;
  }

  #received(message: RoomMessage): void {
    switch (message.type) {
      case 'joined':
        this.room.entered(message.sessionId, message.participants);
        this.#joined.resolve(message);
        break;
      case 'refused':
        this.#failed.reject(joinRefused(message, this.#options.token));
        break;
      case 'event':
        this.room.happened(message.event);
        break;
      case 'response':
        this.room.answered(message.id, message.result, message.error);
        break;
      case 'ejected':
        this.#removed({ error: '', info: message.reason });
        break;
    }
  }

  #removed(why: WireError): void {
    if (this.#isJoining) this.#failed.reject(new RemovedError(why, this.#options.token));
    else this.room.removed(why);
  }

  #lost(detail: string, options: VoicebotErrorOptions = {}): void {
    if (this.#isJoining) this.#failed.reject(joinFailed(detail, options));
    else this.room.lost(detail, options);
  }
}

/** @throws VoicebotError VB_ROOM_JOIN_FAILED */
function roomAddress(roomUrl: string): URL {
  const url = URL.canParse(roomUrl) ? new URL(roomUrl) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw joinFailed('the address of the room is not an http or https address');
}
