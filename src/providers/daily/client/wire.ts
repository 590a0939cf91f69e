/**
 * How the page that is in a room talks with the process whose bot it speaks for: one WebSocket on loopback, JSON text messages, and
 * binary ones for audio.
 *
 * An audio message is 20 ms of mono PCM: its number (32 bits), the time of its first sample (32 bits, in samples), then the samples (16 bits
 * each); all little-endian.
 */

import type { JsonFields } from '../../../base/http/json-fields.js';
import type { RoomMethod, WireError, WireEvent, WireParticipant } from '../../rooms/client-messages.js';

/** The WebSocket subprotocol. */
export const PAGE_PROTOCOL = 'voicebot-page.1';

/** What stands before the samples, in bytes. */
export const AUDIO_HEADER_BYTES = 8;

/** What the other side may leave unread before audio is left out, in bytes: two seconds at 16 000 Hz. */
export const MAX_UNREAD_BYTES = 64 * 1_024;

/** What the page is asked for. */
export type ToPage =
  /**
   * The first message. `module`: the address of the provider's client, an ES module; `sampleRate`: 8000 or 16 000 Hz, of the audio both
   * ways.
   */
  | {
      readonly type: 'join';
      readonly module: string;
      readonly roomUrl: string;
      readonly token: string;
      readonly userName: string;
      readonly sampleRate: number;
    }
  | { readonly type: 'request'; readonly id: number; readonly method: RoomMethod; readonly params: JsonFields }
  /** Only these participants are heard from now on; `undefined`: all of them. */
  | { readonly type: 'listen'; readonly sessionIds: readonly string[] | undefined }
  | { readonly type: 'leave' };

/** What the page tells. */
export type FromPage =
  | { readonly type: 'joined'; readonly sessionId: string; readonly participants: readonly WireParticipant[] }
  /** It cannot join. `client`: the provider's client could not be loaded; `room`: the room has refused, in the provider's words. */
  | { readonly type: 'failed'; readonly what: 'client' | 'room' | 'audio'; readonly error: WireError }
  | { readonly type: 'event'; readonly event: WireEvent }
  | { readonly type: 'response'; readonly id: number; readonly result?: unknown; readonly error?: WireError }
  /** The room is over for us; `error` is missing when we have left. The last message. */
  | { readonly type: 'left'; readonly error?: WireError };
