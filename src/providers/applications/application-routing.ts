import type { NumberRoute, NumberRouting, RouteChange, RouteTarget, UndoOutcome } from '../../call/number-routing.js';
import { requireLeaseId, unknownNumber } from '../account-numbers.js';
import { beforeOf, isMadeByVoicebot, readBefore } from './number-before.js';
import { type AccountNumber, type Application, isSameLink, type NumberLink, type NumbersApi } from './numbers-api.js';
import { OwnApplication } from './own-application.js';
import { SharedApplication } from './shared-application.js';

/** Where the calls to the numbers of an account go, at a carrier whose addresses are kept in applications. */
export class ApplicationRouting implements NumberRouting {
  readonly #own: OwnApplication;
  readonly #shared: SharedApplication;

  constructor(private readonly api: NumbersApi) {
    this.#own = new OwnApplication(api);
    this.#shared = new SharedApplication(api);
  }

  async list(signal?: AbortSignal): Promise<readonly NumberRoute[]> {
    const numbers = await this.api.numbers(signal);
    const applications = new Map((await this.api.applications(signal)).map((one) => [one.id, one]));
    return numbers.map((number) => {
      const application = number.link?.kind === 'application' ? applications.get(number.link.id) : undefined;
      return routeOf(number, numbers, application);
    });
  }

  async plan(
    target: RouteTarget,
    signal?: AbortSignal,
  ): Promise<{ readonly change: RouteChange; readonly route: NumberRoute }> {
    const { number, leaseId, isInPlace, urls } = target;
    requireLeaseId(leaseId);
    const numbers = await this.api.numbers(signal);
    const current = numbers.find((owned) => owned.number === number);
    if (!current) throw unknownNumber(number, numbers);
    const { link } = current;
    const application = link?.kind === 'application' ? await this.api.application(link.id, signal) : undefined;
    const before = readBefore(current, application, target);
    return {
      change: { number, leaseId, isInPlace, urls: [urls], before },
      route: routeOf(current, numbers, application),
    };
  }

  apply(change: RouteChange, signal?: AbortSignal): Promise<void> {
    const before = beforeOf(change);
    return before.kind === 'own' ? this.#own.apply(change, before, signal) : this.#shared.apply(change, before, signal);
  }

  verify(change: RouteChange, signal?: AbortSignal): Promise<string | undefined> {
    const before = beforeOf(change);
    return before.kind === 'own' ? this.#own.verify(change, signal) : this.#shared.verify(change, before, signal);
  }

  undo(change: RouteChange, signal?: AbortSignal): Promise<UndoOutcome> {
    const before = beforeOf(change);
    return before.kind === 'own' ? this.#own.undo(change, before, signal) : this.#shared.undo(change, before, signal);
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

function routeOf(
  { number, link }: AccountNumber,
  numbers: readonly AccountNumber[],
  application: Application | undefined,
): NumberRoute {
  const shared = link ? numbers.filter((other) => other.number !== number && isSameLink(other.link, link)) : [];
  return {
    number,
    webhookUrl: application?.addresses.answer.url || undefined,
    heldBy: link && nameOf(link, application),
    sharedWith: shared.map((other) => other.number),
    isOurs: application !== undefined && isMadeByVoicebot(application),
  };
}

function nameOf({ kind, id }: NumberLink, application: Application | undefined): string {
  if (kind === 'application') return `application ${application?.name || id}`;
  if (kind === 'connection') return `connection ${id}`;
  return kind === 'trunk' ? `SIP trunk ${id}` : id;
}
