import { VoicebotError } from '../../base/errors.js';
import type { NumberRoute, NumberRouting, RouteChange, RouteTarget, UndoOutcome } from '../../call/number-routing.js';
import type { AccountNames } from '../account-names.js';
import { canBeFallback, targetedNumber } from '../account-numbers.js';
import { undoInPlace } from './in-place-change.js';
import { beforeOf, isMadeByVoicebot, readBefore } from './number-before.js';
import type { AccountNumber, Application, NumberLink, NumbersApi } from './numbers-api.js';
import { OwnApplication } from './own-application.js';

/** Where the calls to the numbers of an account go, at a carrier whose addresses are kept in applications. */
export class ApplicationRouting implements NumberRouting {
  readonly #own: OwnApplication;

  constructor(
    private readonly api: NumbersApi,
    private readonly names: AccountNames,
  ) {
    this.#own = new OwnApplication(api);
  }

  async list(signal?: AbortSignal): Promise<readonly NumberRoute[]> {
    const numbers = await this.api.numbers(signal);
    const applications = new Map((await this.api.applications(signal)).map((one) => [one.id, one]));
    const titles = await this.#titlesOf(numbers, signal);
    return numbers.map((number) => {
      const application = number.link?.kind === 'application' ? applications.get(number.link.id) : undefined;
      return routeOf(number, application, titles);
    });
  }

  async plan(
    target: RouteTarget,
    signal?: AbortSignal,
  ): Promise<{ readonly change: RouteChange; readonly route: NumberRoute }> {
    const { number, leaseId, urls, isOldAddress } = target;
    const current = await targetedNumber(target, this.api, this.names, signal);
    const { link } = current;
    const application = link?.kind === 'application' ? await this.api.application(link.id, signal) : undefined;
    const before = readBefore(current, application, isOldAddress);
    const titles = await this.#titlesOf([current], signal);
    return { change: { number, leaseId, urls: [urls], before }, route: routeOf(current, application, titles) };
  }

  async apply(change: RouteChange, signal?: AbortSignal): Promise<void> {
    const before = beforeOf(change);
    if (before.kind === 'own') return this.#own.apply(change, before, signal);
    const { number } = change;
    throw new VoicebotError('VB_REGISTRATION_FAILED', `an older voicebot has changed the application of ${number}`, {
      hint: `put it back first: npx voicebot restore ${number} --force`,
    });
  }

  verify(change: RouteChange, signal?: AbortSignal): Promise<string | undefined> {
    return this.#own.verify(change, signal);
  }

  async undo(change: RouteChange, signal?: AbortSignal): Promise<UndoOutcome> {
    const before = beforeOf(change);
    return before.kind === 'own'
      ? this.#own.undo(change, before, signal)
      : undoInPlace(this.api, change, before, signal);
  }

  /** Closes the connections of its API. */
  close(): Promise<void> {
    return this.api.close();
  }

  /** Those of connections, each asked for once. */
  async #titlesOf(numbers: readonly AccountNumber[], signal?: AbortSignal): Promise<Titles> {
    const ids = new Set(numbers.flatMap(({ link }) => (link?.kind === 'connection' ? link.id : [])));
    return new Map(await Promise.all([...ids].map(async (id) => [id, await this.api.titleOf?.(id, signal)] as const)));
  }
}

type Titles = ReadonlyMap<string, string | undefined>;

function routeOf(
  { number, link, takesCalls }: AccountNumber,
  application: Application | undefined,
  titles: Titles,
): NumberRoute {
  const url = application?.addresses.answer.url || undefined;
  return {
    number,
    webhookUrl: url,
    heldBy: link && nameOf(link, application, titles),
    isOurs: application !== undefined && isMadeByVoicebot(application),
    takesCalls,
    isUnanswered: link?.kind === 'application' && url === undefined,
    isFallback: url !== undefined && canBeFallback(url),
  };
}

function nameOf({ kind, id }: NumberLink, application: Application | undefined, titles: Titles): string {
  if (kind === 'application') {
    const name = `application ${application?.name || id}`;
    return application?.addresses.answer.url ? name : `${name}, which has no address`;
  }
  if (kind === 'connection') return titles.get(id) ?? `connection ${id}`;
  return kind === 'trunk' ? `SIP trunk ${id}` : id;
}
