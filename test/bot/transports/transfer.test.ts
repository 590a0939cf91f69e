import { deferred } from '../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { Transfer, type TransferPhase } from '../../../src/bot/transports/transfer.js';
import type { AcceptedTransferOutcome, DialoutAnsweredData } from '../../../src/call/transfer-outcome.js';

const OPERATOR = '+12025550101';
const LIMITS = { requestMs: 1_000, outcomeMs: 5_000 };
const ANSWERED: AcceptedTransferOutcome = { status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg' } };
const BUSY: AcceptedTransferOutcome = { status: 'busy', detail: 'SIP 486' };
const LEFT: AcceptedTransferOutcome = { status: 'caller_left' };
const REFUSED = new VoicebotError('VB_TARGET_REFUSED', 'a premium number');

/** A transfer whose every step waits until a test settles it. */
class HandTransfer extends Transfer {
  override hasCallerLeft = false;
  readonly phases: TransferPhase[] = [];
  readonly answers: DialoutAnsweredData[] = [];
  readonly endings: Array<AcceptedTransferOutcome | undefined> = [];
  readonly allowed = deferred();
  readonly announced = deferred();
  readonly requested = deferred();

  constructor() {
    super(OPERATOR, LIMITS);
  }

  begin(): Promise<AcceptedTransferOutcome> {
    return this.run(() => this.#step(this.announced.promise));
  }

  protected override allow(): Promise<void> {
    return this.#step(this.allowed.promise);
  }

  protected override request(): Promise<void> {
    return this.#step(this.requested.promise);
  }

  protected override accepted(): void {
    this.phases.push(this.phase);
  }

  protected override answered(data: DialoutAnsweredData): void {
    this.phases.push(this.phase);
    this.answers.push(data);
  }

  protected override over(outcome: AcceptedTransferOutcome | undefined): void {
    this.phases.push(this.phase);
    this.endings.push(outcome);
  }

  #step(step: Promise<void>): Promise<void> {
    this.phases.push(this.phase);
    return step;
  }
}

const turn = () => jest.advanceTimersByTimeAsync(0);

/** A transfer that has come as far as `phase`. */
async function inPhase(phase: 'announcing' | 'requested' | 'accepted') {
  const transfer = new HandTransfer();
  const run = transfer.begin();
  run.catch(() => {}); // for whoever looks at it
  if (phase !== 'announcing') {
    transfer.allowed.resolve();
    transfer.announced.resolve();
  }
  if (phase === 'accepted') transfer.requested.resolve();
  await turn();
  expect(transfer.phase).toBe(phase);
  return { transfer, run };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

test('announces when it is allowed, asks when the announcement was heard, and waits for the outcome when it is accepted', async () => {
  const { transfer, run } = await inPhase('accepted');
  expect(transfer.phases).toEqual(['announcing', 'announcing', 'requested', 'accepted']);
  transfer.settle(ANSWERED);
  expect(transfer.answers).toEqual([ANSWERED.data]); // at once
  expect(await run).toEqual(ANSWERED);
  expect(transfer.endings).toEqual([ANSWERED]);
  expect(transfer.phase).toBe('answered');
});

test('says and asks for nothing when it is not allowed', async () => {
  const { transfer, run } = await inPhase('announcing');
  transfer.allowed.reject(REFUSED);
  await expect(run).rejects.toBe(REFUSED);
  expect(transfer.phases).toEqual(['announcing', 'over']);
  expect(transfer.endings).toEqual([undefined]);
});

test('is refused by who is asked, and the call is as it was', async () => {
  const { transfer, run } = await inPhase('requested');
  transfer.requested.reject(REFUSED);
  await expect(run).rejects.toBe(REFUSED);
  expect(transfer.endings).toEqual([undefined]);
});

test('is no refusal when the caller has left meanwhile', async () => {
  const { transfer, run } = await inPhase('requested');
  transfer.hasCallerLeft = true;
  transfer.requested.reject(REFUSED);
  expect(await run).toEqual(LEFT);
});

test.each(['announcing', 'requested', 'accepted'] as const)('can be given up while it is %s', async (phase) => {
  const { transfer, run } = await inPhase(phase);
  transfer.settle(BUSY);
  transfer.settle(ANSWERED); // too late
  expect(await run).toEqual(BUSY);
  transfer.allowed.resolve();
  transfer.announced.resolve();
  transfer.requested.reject(REFUSED);
  await turn();
  expect(transfer.phase).toBe('over');
  expect(transfer.answers).toEqual([]);
  expect(transfer.endings).toEqual([BUSY]);
});

test('counts no failure of a transfer whose caller has left, but an answer', async () => {
  const left = await inPhase('accepted');
  left.transfer.hasCallerLeft = true;
  left.transfer.settle(BUSY);
  expect(await left.run).toEqual(LEFT);
  const through = await inPhase('accepted');
  through.transfer.hasCallerLeft = true;
  through.transfer.settle(ANSWERED);
  expect(await through.run).toEqual(ANSWERED);
});

test('is refused when nobody says within the limit whether it is accepted', async () => {
  const { transfer, run } = await inPhase('requested');
  await jest.advanceTimersByTimeAsync(LIMITS.requestMs - 1);
  expect(transfer.phase).toBe('requested');
  const refused = expect(run).rejects.toMatchObject({ code: 'VB_TRANSFER_FAILED' });
  await jest.advanceTimersByTimeAsync(1);
  await refused;
});

test('has failed when nobody says within the limit what became of it', async () => {
  const { transfer, run } = await inPhase('accepted');
  await jest.advanceTimersByTimeAsync(LIMITS.outcomeMs - 1);
  expect(transfer.isPending).toBe(true);
  await jest.advanceTimersByTimeAsync(1);
  expect(await run).toMatchObject({ status: 'failed' });
});

test('goes on with what an earlier bot has asked for, and fails when nothing comes of it', async () => {
  const answered = new HandTransfer();
  const run = answered.resume(2_000);
  expect(answered.phase).toBe('accepted');
  answered.settle(ANSWERED);
  expect(await run).toEqual(ANSWERED);
  const lost = new HandTransfer();
  const failed = lost.resume(2_000);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(await failed).toMatchObject({ status: 'failed' });
});

test('is joined by whoever wants the same while it is going on, and refuses another', async () => {
  const { transfer, run } = await inPhase('accepted');
  expect(transfer.isJoinedBy(OPERATOR)).toBe(true);
  expect(transfer.run()).toBe(run);
  expect(() => transfer.isJoinedBy('+12025550102')).toThrow(expect.objectContaining({ code: 'VB_TRANSFER_FAILED' }));
  transfer.settle(BUSY);
  expect(transfer.isJoinedBy(OPERATOR)).toBe(false);
  expect(transfer.isJoinedBy('+12025550102')).toBe(false);
  await run;
});

/** Which phase may follow which. */
const NEXT: Readonly<Record<TransferPhase, readonly TransferPhase[]>> = {
  announcing: ['announcing', 'requested', 'answered', 'over'],
  requested: ['accepted', 'answered', 'over'],
  accepted: ['answered', 'over'],
  answered: ['answered'],
  over: [],
};

test('has one outcome and takes no way that is not drawn, whatever happens in which order (600 sequences)', async () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const happenings: Array<(transfer: HandTransfer) => unknown> = [
    ({ allowed }) => allowed.resolve(),
    ({ allowed }) => allowed.reject(REFUSED),
    ({ announced }) => announced.resolve(),
    ({ announced }) => announced.resolve(),
    ({ requested }) => requested.resolve(),
    ({ requested }) => requested.resolve(),
    ({ requested }) => requested.reject(REFUSED),
    (transfer) => transfer.settle(ANSWERED),
    (transfer) => transfer.settle(BUSY),
    (transfer) => transfer.settle(LEFT),
    (transfer) => {
      transfer.hasCallerLeft = true;
    },
    turn,
    turn,
    () => jest.advanceTimersByTimeAsync(LIMITS.requestMs),
    () => jest.advanceTimersByTimeAsync(LIMITS.outcomeMs),
  ];
  const ends = new Map<string, number>();
  for (let sequence = 0; sequence < 600; sequence += 1) {
    const transfer = new HandTransfer();
    const told: Array<AcceptedTransferOutcome | undefined> = [];
    const waiters = [transfer.begin(), transfer.run()].map((run) =>
      run.then(
        (outcome) => told.push(outcome),
        () => told.push(undefined),
      ),
    );
    for (let step = 0; step < 12; step += 1) await happenings[random(happenings.length)]?.(transfer);
    transfer.settle(BUSY);
    await Promise.all(waiters);
    expect(told[0]).toEqual(told[1]);
    expect(transfer.endings).toEqual([told[0]]);
    expect(transfer.isAnswered).toBe(told[0]?.status === 'answered');
    expect(transfer.answers).toHaveLength(transfer.isAnswered ? 1 : 0);
    transfer.phases.reduce((before, after) => {
      expect(NEXT[before]).toContain(after);
      return after;
    });
    const end = told[0]?.status ?? 'refused';
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  expect([...ends.keys()].sort()).toEqual(['answered', 'busy', 'caller_left', 'failed', 'refused']);
});
