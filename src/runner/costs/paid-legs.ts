import type { CallRecord } from '../../call/call-record.js';
import { PARTICIPANTS, type PaidLeg } from './price-usage.js';

/** Whose the calls of a runner are. */
export interface LegTerms {
  /** Name of the carrier, or of the room provider. */
  readonly provider: string;
  /** How the bot has the sound of a call: on a media stream of the carrier, or as a participant of a room. */
  readonly media: 'stream' | 'room';
}

/** The destination of a transfer. */
export interface TransferLeg {
  /** E.164 or a `sip:` address. */
  readonly to: string;
  /** When it has answered, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly isEstimated?: true | undefined;
}

/** The cold transfers of a call. */
export interface ColdTransfers {
  /** The one of which no outcome is known, since its bot asked for it. */
  readonly asked?: TransferLeg | undefined;
  readonly answered: readonly TransferLeg[];
}

export const NO_TRANSFERS: ColdTransfers = { answered: [] };

/**
 * What is paid by the minute in a call that was answered, up to now where it goes on: the leg to the caller or callee, the one to the
 * destination of each transfer, and the stream or the room that the bot is in. A call that stayed on this machine has none.
 */
export function legsOf(
  { direction, to, isLocal, answeredAt, connectedAt, endedAt = Date.now() }: CallRecord,
  transfers: readonly TransferLeg[],
  { provider, media }: LegTerms,
): PaidLeg[] {
  const since = answeredAt ?? connectedAt;
  if (isLocal || since === undefined) return [];
  const secondsSince = (from: number, until = endedAt) => Math.max(0, until - from) / 1_000;
  const of = { provider, direction, number: to };
  const [first] = transfers;
  const withBot = connectedAt === undefined ? 0 : secondsSince(connectedAt, media === 'room' ? endedAt : first?.at);
  const inMedia: PaidLeg =
    media === 'room'
      ? { ...of, service: 'room', seconds: withBot, count: PARTICIPANTS }
      : { ...of, service: 'media_stream', seconds: withBot };
  return [
    { ...of, service: 'carrier', seconds: secondsSince(since) },
    ...(withBot > 0 ? [inMedia] : []),
    ...transfers.map(
      ({ to: number, at, isEstimated }): PaidLeg => ({
        service: 'carrier',
        provider,
        direction: 'transfer',
        number,
        seconds: secondsSince(at),
        ...(isEstimated && { isEstimated }),
      }),
    ),
  ];
}
