import { VoicebotError } from '../../base/errors.js';
import { isFields, type JsonFields, parseFields } from '../../base/http/json-fields.js';
import type { Carrier, SignedRequest } from '../carrier.js';
import { plivo } from '../plivo/provider.js';
import { telnyx } from '../telnyx/provider.js';
import { twilio } from '../twilio/provider.js';
import { CARRIER_NAMES, type CarrierName, DEFAULT_CARRIER } from './carrier-names.js';

/** The carriers this project supports, by the names that stand in `carrier-names.ts`. */
export const carriers = { plivo, twilio, telnyx } as const satisfies Readonly<Record<CarrierName, Carrier>>;

/** @throws VoicebotError VB_CARRIER_UNSUPPORTED when there is no such carrier, or it is only recognised */
export function carrierByName(name: string): Carrier {
  if (!Object.hasOwn(carriers, name)) {
    throw new VoicebotError('VB_CARRIER_UNSUPPORTED', name.slice(0, 64), {
      hint: `use one of: ${Object.keys(carriers).join(', ')}`,
    });
  }
  return carriers[name as keyof typeof carriers];
}

/** The carrier meant by code that a bot file writes itself and that names none: `CARRIER` when set. */
export const carrierInUse = (): string => process.env.CARRIER || DEFAULT_CARRIER;

/**
 * Where a carrier's voice API lives for code that a bot file writes itself: `CARRIER_API_URL` when set and not that of
 * another carrier, which `CARRIER` names; else the carrier's own address. The runner takes the same settings from its
 * configuration.
 */
export function carrierApiUrl({ name, defaultApiUrl }: Pick<Carrier, 'name' | 'defaultApiUrl'>): string {
  const isOfAnother = process.env.CARRIER && process.env.CARRIER !== name;
  return (!isOfAnother && process.env.CARRIER_API_URL) || defaultApiUrl;
}

/** Whose signature a webhook bears, genuine or not; undefined for none of a carrier we know. */
export function carrierOfWebhook(headers: SignedRequest['headers']): CarrierName | undefined {
  return CARRIER_NAMES.find((name) => headers[carriers[name].signatureHeader] !== undefined);
}

/** Who a media stream says it is. Not every carrier that is recognised is supported: see {@link carriers}. */
export interface StreamIntroduction {
  readonly carrier: 'plivo' | 'twilio' | 'telnyx' | 'exotel';
  readonly streamId: string;
  readonly providerCallId: string;
}

interface IntroductionRule {
  readonly carrier: StreamIntroduction['carrier'];
  /** Where this carrier writes its identifiers. */
  readonly ids: (message: JsonFields, start: JsonFields) => readonly [streamId: unknown, callId: unknown];
  readonly isCallId: (id: string) => boolean;
}

/** The form of identifiers that are only ever shown: of streams, and of the calls of a carrier that is not supported. */
const isShownId = (id: string) => /^[\w:-]{1,128}$/.test(id);

const INTRODUCTION_RULES: readonly IntroductionRule[] = [
  { carrier: 'plivo', ids: (_, start) => [start.streamId, start.callId], isCallId: plivo.isCallId },
  { carrier: 'twilio', ids: (_, start) => [start.streamSid, start.callSid], isCallId: twilio.isCallId },
  { carrier: 'telnyx', ids: (message, start) => [message.stream_id, start.call_control_id], isCallId: telnyx.isCallId },
  { carrier: 'exotel', ids: (_, start) => [start.stream_sid, start.call_sid], isCallId: isShownId },
];

/** The `start` must be among this many first messages. */
const MAX_FIRST_MESSAGES = 5;

/**
 * Tells from a media stream's first messages whose wire it is. The first `start` decides; `connected`, which some
 * carriers say before it, and anything that is no message at all are skipped.
 * @param firstFrames the stream's text messages so far, oldest first; the caller keeps them, none is consumed
 * @returns `need_more` while no `start` has come; `unrecognised` when it is of no known form or not among the first five
 * @see carrier reference 7.4, Detection
 */
export function recogniseStream(firstFrames: readonly string[]): StreamIntroduction | 'need_more' | 'unrecognised' {
  const messages = firstFrames.slice(0, MAX_FIRST_MESSAGES).map((text) => parseFields(text) ?? {});
  const message = messages.find(({ event }) => event === 'start');
  if (!message) return messages.length < MAX_FIRST_MESSAGES ? 'need_more' : 'unrecognised';
  const start = isFields(message.start) ? message.start : {};
  for (const { carrier, ids, isCallId } of INTRODUCTION_RULES) {
    const [streamId, providerCallId] = ids(message, start);
    if (
      typeof streamId === 'string' &&
      typeof providerCallId === 'string' &&
      isShownId(streamId) &&
      isCallId(providerCallId)
    ) {
      return { carrier, streamId, providerCallId };
    }
  }
  return 'unrecognised';
}
