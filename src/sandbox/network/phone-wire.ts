import { z } from 'zod';
import { DTMF_DIGITS } from '../../base/audio/dtmf.js';
import { MAX_PHONE_WORDS } from '../../call/phone-messages.js';
import { isPhoneNumber, normalisePhoneNumber } from '../../call/phone-number.js';

/**
 * The wire between a phone and the network, `GET /network/phones?token=...`: JSON text for requests and notices, binary for
 * audio. The network sends one 20 ms mu-law frame (160 bytes) per tick of a call, and the phone answers each one with
 * one frame, so the phone needs no clock and what it hears and says stays aligned.
 */
export const PHONES_PATH = '/network/phones';

/** Where a phone attaches itself. @param url the sandbox's @param token its phone token */
export function phoneAddress(url: string, token: string): string {
  const address = new URL(PHONES_PATH, url.replace(/^http/, 'ws'));
  address.searchParams.set('token', token);
  return address.href;
}

/** Longest time that a called phone rings, in milliseconds of call time. */
const MAX_RING_MS = 600_000;

/** Longest text message. */
export const MAX_MESSAGE_BYTES = 4_096;

export const PhoneRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('dial'), from: z.string().min(1).max(64), to: z.string().min(1).max(64) }),
  z.object({
    type: z.literal('attend'),
    number: z.string().max(64).transform(normalisePhoneNumber).refine(isPhoneNumber),
    outcome: z.enum(['answered', 'busy', 'declined', 'no_answer', 'failed']),
    ringMs: z.number().min(0).max(MAX_RING_MS),
    isMachine: z.boolean(),
  }),
  z.object({ type: z.literal('press'), digit: z.enum(DTMF_DIGITS) }),
  z.object({ type: z.literal('words'), text: z.string().min(1).max(MAX_PHONE_WORDS) }),
  z.object({ type: z.literal('hangup') }),
]);
