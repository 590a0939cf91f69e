import { appendFileSync } from 'node:fs';
import type { EndReason } from '../../../src/call/call.js';
import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { CampaignCall } from '../../../src/runner/campaigns/attempt-runner.js';
import type { CallOutcomes } from '../../../src/runner/campaigns/call-outcomes.js';
import { Inbox } from '../../sandbox/inbox.js';

/** What becomes of a call: why it ends at once; `talks` until the test ends it; an error that refuses it. */
export type Reaction = EndReason | 'talks' | Error;

/** Telephones that do as the test says, and the provider that calls them. */
export class FakePhones implements CallOutcomes {
  /** All requests to dial, refused ones included. */
  readonly dialled = new Inbox<CampaignCall & { readonly at: number }>();
  readonly #records = new Map<string, CallRecord>();
  readonly #waiting = new Map<string, Array<(record: CallRecord) => void>>();
  talking = 0;
  mostTalking = 0;

  /**
   * @param reactTo what a number does, by how often it has been called before
   * @param log a file that gets a line of each call, before it is placed
   */
  constructor(
    private readonly reactTo: (phoneNumber: string, before: number) => Reaction = () => 'bot_ended',
    private readonly log?: string,
  ) {}

  readonly dial: (call: CampaignCall) => Promise<void> = async (call) => this.place(call);

  place(call: CampaignCall): void {
    const { callId, phoneNumber } = call;
    const before = this.timesOf(phoneNumber);
    if (this.log) appendFileSync(this.log, `${phoneNumber} ${callId}\n`);
    this.dialled.push({ ...call, at: performance.now() });
    const reaction = this.reactTo(phoneNumber, before);
    if (reaction instanceof Error) throw reaction;
    this.talking += 1;
    this.mostTalking = Math.max(this.mostTalking, this.talking);
    this.#records.set(callId, recordOf(call));
    if (reaction !== 'talks') setTimeout(() => this.end(callId, reaction), 5);
  }

  timesOf(phoneNumber: string): number {
    return this.dialled.all.filter((call) => call.phoneNumber === phoneNumber).length;
  }

  costs = async ({ cost }: CallRecord) => [cost];

  end(callId: string, endReason: EndReason): void {
    const known = this.#records.get(callId);
    if (!known || known.state === 'ended') return;
    this.talking -= 1;
    const ended: CallRecord = { ...known, state: 'ended', endReason, endedAt: Date.now() };
    this.#records.set(callId, ended);
    for (const done of this.#waiting.get(callId) ?? []) done(ended);
  }

  /** A webhook tells of a call that somebody else has placed. */
  tell(call: CampaignCall, endReason: EndReason): void {
    this.talking += 1;
    this.#records.set(call.callId, recordOf(call));
    this.end(call.callId, endReason);
  }

  async find(callId: string): Promise<CallRecord | undefined> {
    return this.#records.get(callId);
  }

  ended(callId: string, signal: AbortSignal): Promise<CallRecord> {
    return new Promise((resolve, reject) => {
      const known = this.#records.get(callId);
      if (known?.state === 'ended') return resolve(known);
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#waiting.set(callId, [...(this.#waiting.get(callId) ?? []), resolve]);
    });
  }
}

const recordOf = ({ callId, phoneNumber }: Pick<CampaignCall, 'callId' | 'phoneNumber'>): CallRecord => ({
  id: asCallId(callId),
  direction: 'outbound',
  from: '+12025550100',
  to: phoneNumber,
  state: 'connected',
  attempt: 1,
  startedAt: Date.now(),
  answeredAt: Date.now(),
});
