import { randomUUID } from 'node:crypto';
import { type DtmfDigit, generateDtmf } from '../../base/audio/dtmf.js';
import { decodeMulaw, encodeMulaw } from '../../base/audio/mulaw.js';
import type { ToneSource } from '../../base/audio/tones.js';
import type { WireEvent, WireParticipant } from '../../providers/rooms/client-messages.js';
import type { CallRoom, PhoneCall } from '../network/call.js';
import type { PcmFrame } from '../network/frame.js';
import { FRAME_BYTES } from '../network/frame.js';
import { HANGUP_CAUSES, type HangupCause } from '../network/hangup-causes.js';
import { PlaybackQueue } from '../network/playback-queue.js';
import { silence } from '../network/prompt-audio.js';
import { FrameBuffer } from './frame-buffer.js';
import { mixOthers } from './mixer.js';
import type { Participant } from './participant.js';
import type { ParticipantPermissions } from './permissions.js';
import { wireParticipant } from './wire-participant.js';

const PAUSE_BETWEEN_TONES_MS = 100;

export interface PhoneLegSetup {
  readonly call: PhoneCall;
  readonly direction: 'dial-in' | 'dial-out';
  /** Name that the others in the room see. */
  readonly userName: string;
  readonly userId?: string | undefined;
  /** Fields of events about the leg, beside its session id. */
  readonly details: DialinDetails | DialoutDetails;
  readonly permissions: ParticipantPermissions;
  /** How long the leg stays alone in the room, in milliseconds. */
  readonly idleLimitMs: number;
}

export interface DialinDetails {
  readonly sipFrom: string;
  /** With `sip:`. */
  readonly sipEndpoint: string;
}

export interface DialoutDetails {
  /** The dialled number or `sip:` address. */
  readonly destination: string;
  /** The number that the callee sees. */
  readonly callerId: string;
}

/** Error texts for calls out of a room that were not answered. The words are the sandbox's own. */
const DIAL_ERRORS = new Map<HangupCause, string>([
  [HANGUP_CAUSES.busy, 'Busy'],
  [HANGUP_CAUSES.declined, 'Rejected'],
  [HANGUP_CAUSES.carrierError, 'Failed'],
]);

/** A telephone call in a room, or on its way there. */
export class PhoneLeg implements Participant {
  readonly sessionId = randomUUID();
  readonly joinedAt = new Date();
  readonly rate = 8_000;
  /** Plays to the caller who waits for the destination of a transfer. */
  ringback: ToneSource | undefined;
  /** Whether the leg is about to be connected with the destination of a transfer. */
  isTransferring = false;
  readonly #spoken = new FrameBuffer();
  /** Key tones, which the phone hears in place of the room. */
  readonly #tones = new PlaybackQueue();
  #isInRoom = false;

  constructor(private readonly setup: PhoneLegSetup) {}

  get call(): PhoneCall {
    return this.setup.call;
  }

  get userName(): string {
    return this.setup.userName;
  }

  get userId(): string | undefined {
    return this.setup.userId;
  }

  get isInRoom(): boolean {
    return this.#isInRoom;
  }

  get idleLimitMs(): number {
    return this.setup.idleLimitMs;
  }

  get direction(): PhoneLegSetup['direction'] {
    return this.setup.direction;
  }

  get details(): PhoneLegSetup['details'] {
    return this.setup.details;
  }

  get permissions(): ParticipantPermissions {
    return this.setup.permissions;
  }

  get wire(): WireParticipant {
    return wireParticipant(this, { isOwner: false, participantType: `pstn-${this.direction}` });
  }

  /** The event `dialin-<what>` or `dialout-<what>`. @see rooms reference 9.1 */
  event(what: 'connected' | 'answered' | 'stopped'): WireEvent {
    const kind = this.direction === 'dial-in' ? 'dialin' : 'dialout';
    return { action: `${kind}-${what}`, sessionId: this.sessionId, ...this.details };
  }

  /** The event that reports the end of the leg. */
  endEvent(): WireEvent {
    const { call, sessionId, details } = this;
    const errorMsg = call.answeredAt || !call.end ? undefined : DIAL_ERRORS.get(call.end.cause);
    return errorMsg ? { action: 'dialout-error', sessionId, errorMsg, details } : this.event('stopped');
  }

  /** Connects the phone with the room. */
  enter(told: Pick<CallRoom, 'pressed' | 'spoke'>): void {
    this.#isInRoom = true;
    this.call.room = { said: (frame) => this.#spoken.push(frame), ...told };
  }

  /** Disconnects the phone from the room; the call goes on. */
  leave(): void {
    this.#isInRoom = false;
    this.call.room = undefined;
    this.call.playback.clear();
  }

  playTones(digits: readonly DtmfDigit[], durationMs: number): void {
    for (const digit of digits) {
      this.#tones.push(encodeMulaw(generateDtmf(digit, { durationMs })));
      this.#tones.push(silence(PAUSE_BETWEEN_TONES_MS));
    }
  }

  say(): PcmFrame {
    const frame = this.#spoken.take();
    return frame && !isSilence(frame) ? decodeMulaw(frame) : undefined;
  }

  hear(sound: PcmFrame): void {
    const ringback = this.ringback?.read(FRAME_BYTES);
    const [mixed] = mixOthers([undefined, sound, ringback]);
    if (this.#tones.queuedBytes > 0) this.call.playback.push(this.#tones.next());
    else if (mixed) this.call.playback.push(encodeMulaw(mixed));
  }
}

/** Whether every byte is one of the two codes of a zero sample. */
const isSilence = (frame: Uint8Array): boolean => frame.every((code) => (code & 0x7f) === 0x7f);
