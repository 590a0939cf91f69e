import { VoicebotError } from '../../base/errors.js';
import { isFields, type JsonFields, parseFields } from '../../base/http/json-fields.js';
import type { Carrier, SignedRequest } from '../carrier.js';
import { plivo } from '../plivo/provider.js';
import { telnyx } from '../telnyx/provider.js';
import { twilio } from '../twilio/provider.js';
import {
  addCarrierName,
  type BuiltInCarrier,
  CARRIER_NAMES,
  type CarrierName,
  DEFAULT_CARRIER,
} from './carrier-names.js';

/** The carriers of this project, by the names that stand in `carrier-names.ts`. */
export const carriers = { plivo, twilio, telnyx } as const satisfies Readonly<Record<BuiltInCarrier, Carrier>>;

const known = new Map<string, Carrier>(Object.entries(carriers));

/** An extension brings a carrier, which has been checked. @returns what takes it away again */
export function addCarrier(carrier: Carrier): () => void {
  known.set(carrier.name, carrier);
  const removeName = addCarrierName(carrier.name);
  return () => {
    known.delete(carrier.name);
    removeName();
  };
}

/** @throws VoicebotError VB_CARRIER_UNSUPPORTED when there is no such carrier, or it is only recognised */
export function carrierByName(name: string): Carrier {
  const carrier = known.get(name);
  if (carrier) return carrier;
  throw new VoicebotError('VB_CARRIER_UNSUPPORTED', name.slice(0, 64), {
    hint: `use one of: ${CARRIER_NAMES.join(', ')}; the carrier of an extension is there when \`extensions\` names its package`,
  });
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
  return CARRIER_NAMES.find((name) => headers[carrierByName(name).signatureHeader] !== undefined);
}

/** Who a media stream says it is. Not every carrier that is recognised is supported: see {@link carriers}. */
export interface StreamIntroduction {
  readonly carrier: CarrierName | 'exotel';
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
 * carriers say before it, and anything that is no message at all are skipped. Several carriers may speak one wire: that of an
 * extension is told by its own codec, before ours where it is the one expected, and else after them.
 * @param firstFrames the stream's text messages so far, oldest first; the caller keeps them, none is consumed
 * @param expected the carrier whose call it should be. Default: `CARRIER`
 * @returns `need_more` while no `start` has come; `unrecognised` when it is of no known form or not among the first five
 * @see carrier reference 7.4, Detection
 */
export function recogniseStream(
  firstFrames: readonly string[],
  expected: string = carrierInUse(),
): StreamIntroduction | 'need_more' | 'unrecognised' {
  const first = firstFrames.slice(0, MAX_FIRST_MESSAGES);
  const start = first.map((text) => parseFields(text) ?? {}).find(({ event }) => event === 'start');
  const outside = [...known.values()].filter(({ name }) => !Object.hasOwn(carriers, name));
  const toldBy = (some: readonly Carrier[]) =>
    some.flatMap((one) => first.flatMap((text) => introductionTo(one, text)));
  const inUse = outside.filter(({ name }) => name === expected);
  const found = toldBy(inUse)[0] ?? (start && introductionIn(start)) ?? toldBy(outside)[0];
  return found ?? (start || first.length === MAX_FIRST_MESSAGES ? 'unrecognised' : 'need_more');
}

/** To the carrier of an extension. */
function introductionTo(carrier: Carrier, text: string): StreamIntroduction | [] {
  const message = carrier.createCodec('').decode(text);
  if (message.type !== 'start' && message.type !== 'unsupported') return [];
  const { streamId, providerCallId } = message;
  return isShownId(streamId) && carrier.isCallId(providerCallId)
    ? { carrier: carrier.name, streamId, providerCallId }
    : [];
}

/** To one of our carriers. */
function introductionIn(message: JsonFields): StreamIntroduction | undefined {
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
  return undefined;
}
