import type { RoomEventFault, RoomEventName } from '../../../../src/sandbox/rooms/event-faults.js';
import type { CallResult, PhoneActs, PlayedCall } from './played-call.js';
import { playCall } from './played-call.js';
import { type DestinationActs, playTransfer, type TransferResult } from './played-transfer.js';

export interface Row extends PlayedCall {
  readonly title: string;
}

/** So many calls are played at once. */
const AT_ONCE = 8;

const EVENTS = {
  in: ['dialin-ready', 'dialin-connected', 'participant-joined', 'participant-left', 'dialin-stopped'],
  out: ['dialout-connected', 'dialout-answered', 'participant-joined', 'participant-left', 'dialout-stopped'],
} as const satisfies Record<PlayedCall['direction'], readonly RoomEventName[]>;

const FAULTS: readonly (readonly [words: string, fault: Omit<RoomEventFault, 'event'>])[] = [
  ['lost', { fault: 'drop' }],
  ['told twice', { fault: 'double' }],
  ['told again 1 s later', { fault: 'double', delayMs: 1_000 }],
  ['3 s late', { fault: 'delay', delayMs: 3_000 }],
  ['behind the next one', { fault: 'hold' }],
];

const row = (
  direction: PlayedCall['direction'],
  phone: PhoneActs,
  words: string,
  faults: readonly RoomEventFault[],
): Row => ({ direction, phone, faults, ringMs: 6_000, title: `call ${direction}, phone ${phone}: ${words}` });

const withFault = (direction: PlayedCall['direction'], phone: PhoneActs, events: readonly RoomEventName[]): Row[] =>
  events.flatMap((event) =>
    FAULTS.map(([words, fault]) => row(direction, phone, `${event} ${words}`, [{ event, ...fault }])),
  );

/** Calls in which somebody is there. */
export const SERVED: readonly Row[] = [
  ...withFault('in', 'speaks', EVENTS.in),
  ...withFault('out', 'speaks', EVENTS.out),
  row('in', 'is silent', 'participant-joined lost', [{ event: 'participant-joined', fault: 'drop' }]),
  row('out', 'is silent', 'dialout-answered lost', [{ event: 'dialout-answered', fault: 'drop' }]),
  row('out', 'speaks', 'dialout-answered and participant-joined lost', [
    { event: 'dialout-answered', fault: 'drop' },
    { event: 'participant-joined', fault: 'drop' },
  ]),
];

/** Calls that nobody answers, and their end. */
export const UNANSWERED: readonly (Row & { readonly end: string })[] = [
  { ...row('out', 'is busy', 'nothing', []), end: 'over busy' },
  ...FAULTS.map(([words, fault]) => ({
    ...row('out', 'is busy', `dialout-error ${words}`, [{ event: 'dialout-error' as const, ...fault }]),
    // Nothing follows a failure: behind the next event it never comes.
    end: fault.fault === 'drop' || fault.fault === 'hold' ? 'over no_answer' : 'over busy',
  })),
  { ...row('out', 'rings on', 'nothing', []), end: 'over no_answer' },
];

export interface TransferRow {
  readonly title: string;
  readonly destination: DestinationActs;
  readonly faults: readonly RoomEventFault[];
  /** Of the transfer. */
  readonly outcome: object;
  readonly end: string;
}

const ANSWERED = { outcome: { status: 'answered' }, end: 'over transferred' };
/** A leg that has stopped and was never said to be answered has failed (rooms reference 14.11). */
const STOPPED = { outcome: { status: 'caller_left', destination: 'no_answer' }, end: 'over transfer_failed' };
const BUSY = { outcome: { status: 'caller_left', destination: 'busy' }, end: 'over transfer_failed' };

const transferRow = (
  destination: DestinationActs,
  words: string,
  faults: readonly RoomEventFault[],
  expected: Pick<TransferRow, 'outcome' | 'end'>,
): TransferRow => ({ title: `transfer, the destination ${destination}: ${words}`, destination, faults, ...expected });

const CALLER_EVENTS = ['participant-left', 'dialin-stopped'] as const;

/** Transfers, and what becomes of them. A failure that is never told is found out by time: `room-transfer.test.ts`. */
export const TRANSFERS: readonly TransferRow[] = [
  transferRow('talks', 'nothing', [], ANSWERED),
  ...[...CALLER_EVENTS, 'dialout-connected' as const, 'dialout-answered' as const].flatMap((event) =>
    FAULTS.map(([words, fault]) => {
      const isUntold = event === 'dialout-answered' && fault.fault !== 'double'; // before the short talk is over
      return transferRow('talks', `${event} ${words}`, [{ event, ...fault }], isUntold ? STOPPED : ANSWERED);
    }),
  ),
  transferRow('is busy', 'nothing', [], BUSY),
  ...CALLER_EVENTS.flatMap((event) =>
    FAULTS.map(([words, fault]) => transferRow('is busy', `${event} ${words}`, [{ event, ...fault }], BUSY)),
  ),
  ...FAULTS.filter(([, { fault }]) => fault !== 'drop' && fault !== 'hold').map(([words, fault]) =>
    transferRow('is busy', `dialout-error ${words}`, [{ event: 'dialout-error', ...fault }], BUSY),
  ),
];

/** Plays calls, some at a time. */
export const play = (rows: readonly Row[]): Promise<Map<string, CallResult>> => playAll(rows, playCall);

export const playTransfers = (rows: readonly TransferRow[]): Promise<Map<string, TransferResult>> =>
  playAll(rows, ({ destination, faults }) => playTransfer(destination, faults));

async function playAll<Played extends { readonly title: string }, Result>(
  rows: readonly Played[],
  playOne: (row: Played) => Promise<Result>,
): Promise<Map<string, Result>> {
  const results = new Map<string, Result>();
  const waiting = [...rows];
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) results.set(one.title, await playOne(one));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return results;
}
