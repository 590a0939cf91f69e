import { once } from 'node:events';
import { WebSocket } from 'ws';
import { FrameClock } from '../../../src/base/async/frame-clock.js';
import type { RoomMethod, WireEvent, WireParticipant } from '../../../src/providers/rooms/client-messages.js';
import { PeerAudio } from '../../../src/providers/rooms/webrtc/peer-audio.js';
import { ROOM_PROTOCOL, type RoomMessage } from '../../../src/providers/rooms/webrtc/room-wire.js';
import { Inbox } from '../inbox.js';

const RATE = 8_000;
const FRAME_SAMPLES = 160;

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests that read them
type Json = any;

export interface GuestOptions {
  readonly token?: string;
  readonly userName?: string;
  /** Real milliseconds per 20 ms. */
  readonly tickMs?: number;
}

/** Somebody who joins a room by its wire, as written down, and keeps what happens. */
export class RoomGuest implements AsyncDisposable {
  readonly messages = new Inbox<RoomMessage>();
  readonly events = new Inbox<WireEvent>();
  readonly closed: Promise<{ code: number; reason: string }>;
  /** What it says, by the number of frames said before; undefined for silence. */
  says: (frame: number) => Int16Array | undefined = () => undefined;
  readonly heard = new Inbox<Int16Array>();
  readonly peer = new PeerAudio({ sampleRate: RATE, codecs: ['PCMU'], isLocal: true });
  sessionId = '';
  participants: readonly WireParticipant[] = [];
  #requests = 0;
  #stopTicks = (): void => {};

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString()) as RoomMessage;
      if (message.type === 'event') this.events.push(message.event);
      else this.messages.push(message);
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  /** A socket to the room, before anything is said. */
  static async atTheDoor(roomUrl: string): Promise<RoomGuest> {
    const socket = new WebSocket(roomUrl.replace(/^http/, 'ws'), [ROOM_PROTOCOL], { perMessageDeflate: false });
    const guest = new RoomGuest(socket);
    await once(socket, 'open');
    return guest;
  }

  /** Joins, and waits for audio. */
  static async join(roomUrl: string, options: GuestOptions = {}): Promise<RoomGuest> {
    const guest = await RoomGuest.atTheDoor(roomUrl);
    const answer = await guest.ask(options);
    if (answer.type !== 'joined') throw new Error(`not joined: ${JSON.stringify(answer)}`);
    guest.sessionId = answer.sessionId;
    guest.participants = answer.participants;
    await guest.peer.accept(answer.sdp);
    await guest.peer.connected(10_000);
    let frame = 0;
    guest.#stopTicks = new FrameClock(options.tickMs ?? 20).onTick(() => {
      const said = guest.says(frame++);
      if (said) guest.peer.say(said);
      guest.heard.push(guest.peer.hear());
    });
    return guest;
  }

  /** Asks to be let in. */
  async ask({ token = '', userName = 'guest' }: GuestOptions = {}): Promise<RoomMessage> {
    this.send({ type: 'join', token, userName, sdp: await this.peer.offer() });
    return this.messages.next();
  }

  send(message: object | string | Buffer): void {
    this.socket.send(typeof message === 'object' && !Buffer.isBuffer(message) ? JSON.stringify(message) : message);
  }

  /** The answer to a request: its result, or its error. */
  async request(method: RoomMethod, params: object): Promise<{ result?: Json; error?: Json }> {
    this.#requests += 1;
    const id = this.#requests;
    this.send({ type: 'request', id, method, params });
    const { result, error } = (await this.messages.next(
      (message) => message.type === 'response' && message.id === id,
    )) as Extract<RoomMessage, { type: 'response' }>;
    return { ...(result !== undefined && { result }), ...(error && { error }) };
  }

  event(action: string, limitMs = 10_000): Promise<Json> {
    return this.events.next((event) => event.action === action, limitMs);
  }

  /** Says a tone from now on. */
  hum(frequency: number, amplitude = 8_000): void {
    this.says = (frame) => tone(frequency, frame, amplitude);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopTicks();
    this.socket.close();
    await this.peer.close();
    await this.closed;
  }
}

/** A participant as events show it who may do what everybody may. */
export const shown = (
  participant: Pick<WireParticipant, 'session_id' | 'user_name' | 'owner' | 'participantType'>,
): WireParticipant => ({
  ...participant,
  user_id: participant.session_id,
  permissions: { hasPresence: true, canSend: true, canReceive: { base: true }, canAdmin: participant.owner },
});

/** 20 ms of a sine that goes on from frame to frame, at 8000 Hz. */
export function tone(frequency: number, frame: number, amplitude = 8_000): Int16Array {
  return Int16Array.from({ length: FRAME_SAMPLES }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * (frame * FRAME_SAMPLES + n)) / RATE)),
  );
}
