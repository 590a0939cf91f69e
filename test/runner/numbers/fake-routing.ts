import { VoicebotError } from '../../../src/base/errors.js';
import type {
  NumberRoute,
  NumberRouting,
  RouteChange,
  RouteTarget,
  UndoOutcome,
} from '../../../src/call/number-routing.js';

export type Call = 'plan' | 'apply' | 'verify' | 'undo';
/** Before a call has its effect, or between that and its answer. */
export type Moment = 'before' | 'after';

/** A provider in memory: numbers and the one address each has. */
export class FakeRouting implements NumberRouting {
  readonly urls = new Map<string, string | undefined>();
  readonly secrets = new Map<string, string>();
  readonly calls: Call[] = [];
  /** Called at both moments of each call: throws, or never resolves, where that shall break off. */
  at: (call: Call, moment: Moment) => void | Promise<void> = () => {};
  /** What the last plan was asked for. */
  target: RouteTarget | undefined;
  isClosed = false;

  constructor(urls: Record<string, string | undefined> = {}) {
    for (const [number, url] of Object.entries(urls)) this.urls.set(number, url);
  }

  /** All that the provider has stored. */
  get stored(): string {
    return JSON.stringify([[...this.urls], [...this.secrets]]);
  }

  async list(): Promise<readonly NumberRoute[]> {
    return [...this.urls.keys()].map((number) => this.#route(number));
  }

  plan(target: RouteTarget) {
    this.target = target;
    const { number, urls, leaseId, secret, isOldAddress } = target;
    return this.#call('plan', () => {
      if (!this.urls.has(number)) throw new VoicebotError('VB_NUMBER_UNKNOWN', number);
      const url = this.urls.get(number);
      const before = url && isOldAddress(url) ? 'nothing' : { url, secret: this.secrets.get(number) };
      const change: RouteChange = { number, leaseId, urls: [urls], secret, before };
      return { change, route: this.#route(number) };
    });
  }

  apply({ number, urls, secret }: RouteChange): Promise<void> {
    return this.#call('apply', () => {
      this.urls.set(number, urls.at(-1)?.answerUrl);
      if (secret !== undefined) this.secrets.set(number, secret);
    });
  }

  verify({ number, urls }: RouteChange): Promise<string | undefined> {
    return this.#call('verify', () =>
      this.urls.get(number) === urls.at(-1)?.answerUrl ? undefined : `${number} points elsewhere`,
    );
  }

  undo({ number, urls, before }: RouteChange): Promise<UndoOutcome> {
    return this.#call('undo', () => {
      const former = before as 'nothing' | { url?: string; secret?: string };
      const now = this.urls.get(number);
      if (former !== 'nothing' && now === former.url) return 'unchanged';
      if (!urls.some(({ answerUrl }) => answerUrl === now)) return 'foreign';
      if (former === 'nothing') return 'nothing_to_restore';
      this.urls.set(number, former.url);
      if (former.secret === undefined) this.secrets.delete(number);
      else this.secrets.set(number, former.secret);
      return 'restored';
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  async #call<T>(call: Call, act: () => T): Promise<T> {
    this.calls.push(call);
    await this.at(call, 'before');
    const result = act();
    await this.at(call, 'after');
    return result;
  }

  #route(number: string): NumberRoute {
    const webhookUrl = this.urls.get(number);
    const isOurs = webhookUrl?.endsWith('/rooms-dialin-webhook') === true;
    return { number, webhookUrl, heldBy: webhookUrl && 'settings', isOurs };
  }
}
