import type { SandboxProcess } from '../../test/cluster/rig/sandbox-process.js';

/** A call that the carrier has placed and that is over. Seconds since the epoch: the carrier tells no fractions. */
export interface PlacedCall {
  readonly id: string;
  /** E.164. */
  readonly to: string;
  readonly beganAt: number;
  readonly endedAt: number;
}

interface CallRecord {
  readonly call_uuid: string;
  readonly to_number: string;
  readonly initiation_time: string;
  readonly end_time: string;
}

/** The most that the carrier gives at once. */
const PAGE = 20;
const READ_EVERY_MS = 2_000;

/** What the carrier itself knows of the calls it was asked for, in Plivo's dialect. It forgets old ones, so it is read again and again. */
export class CarrierLog implements AsyncDisposable {
  readonly calls = new Map<string, PlacedCall>();
  readonly #timer = setInterval(() => this.read(), READ_EVERY_MS);
  #reading: Promise<void> | undefined;

  constructor(private readonly sandbox: SandboxProcess) {}

  /** Reads what has been added. */
  async read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** Calls that are not over, those that the carrier has not begun yet included. */
  async alive(): Promise<number> {
    const lists = await Promise.all(['live', 'queued'].map((status) => this.#get<{ calls: string[] }>({ status })));
    return lists.reduce((sum, { calls }) => sum + calls.length, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
  }

  async #read(): Promise<void> {
    for (let offset = 0; ; offset += PAGE) {
      const query = { call_direction: 'outbound', limit: String(PAGE), offset: String(offset) };
      const { objects } = await this.#get<{ objects: CallRecord[] }>(query);
      const added = objects.filter(({ call_uuid }) => !this.calls.has(call_uuid));
      for (const { call_uuid: id, to_number, initiation_time, end_time } of added) {
        const [beganAt, endedAt] = [initiation_time, end_time].map((time) => Date.parse(time) / 1_000);
        this.calls.set(id, { id, to: `+${to_number}`, beganAt: beganAt ?? 0, endedAt: endedAt ?? 0 });
      }
      if (added.length < PAGE) return; // newest first: the rest is known
    }
  }

  async #get<Answer>(query: Record<string, string>): Promise<Answer> {
    const { account } = this.sandbox;
    if (account.kind !== 'carrier') throw new Error('a room provider keeps no such list');
    const { authId, authToken, apiUrl } = account.credentials;
    const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
    const url = `${apiUrl}/Account/${authId}/Call/?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers: { authorization } });
    if (!response.ok) throw new Error(`the carrier's list of calls: ${response.status}`);
    return (await response.json()) as Answer;
  }
}

/** The most calls that began within a minute. */
export function mostPerMinute(calls: readonly PlacedCall[]): number {
  const begins = calls.map(({ beganAt }) => beganAt).toSorted((a, b) => a - b);
  // Two calls 60 s apart to the second may be less than a minute apart in truth, or more: they count as more.
  return Math.max(0, ...begins.map((from) => begins.filter((at) => at >= from && at < from + 60).length));
}

/** The most calls that went on at once, at least: one that began in the second in which another ended came after it. */
export function mostAtOnce(calls: readonly PlacedCall[]): number {
  const changes = calls.flatMap(({ beganAt, endedAt }) => [
    { at: beganAt, by: 1 },
    { at: endedAt, by: -1 },
  ]);
  let [alive, most] = [0, 0];
  for (const { by } of changes.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
    alive += by;
    most = Math.max(most, alive);
  }
  return most;
}
