import type { RoomEventFault, RoomEventName } from '../../../../src/sandbox/rooms/event-faults.js';
import type { CallResult, PhoneActs, PlayedCall } from './played-call.js';
import { playCall } from './played-call.js';
import { type DestinationActs, playTransfer, type TransferResult } from './played-transfer.js';

export interface Row extends PlayedCall {
  readonly title: string;
}

/** So many calls are played at once, and so many transfers: they wait most of the time. */
const AT_ONCE = 8;

type Fault = readonly [words: string, fault: Omit<RoomEventFault, 'event'>];

const LOST: Fault = ['lost', { fault: 'drop' }];
const TWICE: Fault = ['told twice', { fault: 'double' }];
const AGAIN: Fault = ['told again 1 s later', { fault: 'double', delayMs: 1_000 }];
const LATE: Fault = ['3 s late', { fault: 'delay', delayMs: 3_000 }];
const BEHIND: Fault = ['behind the next one', { fault: 'hold' }];

/** Of an event that changes what the bot does. */
const ALL: readonly Fault[] = [LOST, AGAIN, LATE, BEHIND];
/** Of one of two that tell the same, such as the end: what comes after the other one changes nothing. */
const ONE_OF_TWO: readonly Fault[] = [LOST, BEHIND];

type Faulty = readonly [event: RoomEventName, faults: readonly Fault[]];

const EVENTS: Readonly<Record<PlayedCall['direction'], readonly Faulty[]>> = {
  in: [
    ['dialin-ready', ALL],
    ['dialin-connected', ALL],
    ['participant-joined', [...ALL, TWICE]],
    ['participant-left', ONE_OF_TWO],
    ['dialin-stopped', ONE_OF_TWO],
  ],
  out: [
    ['dialout-connected', [LOST, LATE, BEHIND]],
    ['dialout-answered', [...ALL, TWICE]],
    ['participant-joined', ALL],
    ['participant-left', ONE_OF_TWO],
    ['dialout-stopped', ONE_OF_TWO],
  ],
};

const row = (
  direction: PlayedCall['direction'],
  phone: PhoneActs,
  words: string,
  faults: readonly RoomEventFault[],
): Row => ({
  direction,
  phone,
  faults,
  ringMs: 6_000,
  endsWithinMs: 8_000,
  title: `call ${direction}, phone ${phone}: ${words}`,
});

const withFault = (direction: PlayedCall['direction'], phone: PhoneActs): Row[] =>
  EVENTS[direction].flatMap(([event, faults]) =>
    faults.map(([words, fault]) => row(direction, phone, `${event} ${words}`, [{ event, ...fault }])),
  );

/** The last sign that somebody has answered comes late, and a busy machine is late with it. */
const SERVED_RING_MS = 12_000;

/** Calls in which somebody is there. */
export const SERVED: readonly Row[] = [
  ...withFault('in', 'speaks'),
  ...withFault('out', 'speaks'),
  row('in', 'is silent', 'participant-joined lost', [{ event: 'participant-joined', fault: 'drop' }]),
  row('out', 'is silent', 'dialout-answered lost', [{ event: 'dialout-answered', fault: 'drop' }]),
  row('out', 'speaks', 'dialout-answered and participant-joined lost', [
    { event: 'dialout-answered', fault: 'drop' },
    { event: 'participant-joined', fault: 'drop' },
  ]),
].map((one) => ({ ...one, ringMs: one.direction === 'out' ? SERVED_RING_MS : one.ringMs }));

/** Calls that nobody answers, and their end. */
export const UNANSWERED: readonly (Row & { readonly end: string })[] = [
  { ...row('out', 'is busy', 'nothing', []), end: 'over busy' },
  ...ALL.map(([words, fault]) => ({
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

/** Events that tell that the caller has left the room. */
const CALLER_EVENTS = ['participant-left', 'dialin-stopped'] as const;
const TALKS: readonly Faulty[] = [
  ...CALLER_EVENTS.map((event): Faulty => [event, [LOST, LATE, BEHIND]]),
  ['dialout-connected', ONE_OF_TWO],
  ['dialout-answered', ALL],
];

/** Transfers, and what becomes of them. A failure that is never told is found out by time: `room-transfer.test.ts`. */
export const TRANSFERS: readonly TransferRow[] = [
  transferRow('talks', 'nothing', [], ANSWERED),
  ...TALKS.flatMap(([event, faults]) =>
    faults.map(([words, fault]) => {
      const isUntold = event === 'dialout-answered' && fault.fault !== 'double'; // before the short talk is over
      return transferRow('talks', `${event} ${words}`, [{ event, ...fault }], isUntold ? STOPPED : ANSWERED);
    }),
  ),
  transferRow('is busy', 'nothing', [], BUSY),
  ...CALLER_EVENTS.flatMap((event) =>
    ONE_OF_TWO.map(([words, fault]) => transferRow('is busy', `${event} ${words}`, [{ event, ...fault }], BUSY)),
  ),
  ...[AGAIN, LATE].map(([words, fault]) =>
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
