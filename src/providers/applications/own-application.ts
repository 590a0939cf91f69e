import { ProviderRequestError } from '../../base/http/provider-request-error.js';
import type { RouteChange, UndoOutcome } from '../../call/number-routing.js';
import { notAsAsked } from '../account-numbers.js';
import { differenceOf, isAsWanted } from './application-check.js';
import { type BeforeOwn, ownNameOf, wantedAddresses } from './number-before.js';
import { type AccountNumber, type Application, isSameLink, type NumberLink, type NumbersApi } from './numbers-api.js';

/** Gives a number an application of our own, and takes it away again. The application bears the lease in its name. */
export class OwnApplication {
  constructor(private readonly api: NumbersApi) {}

  async apply(change: RouteChange, before: BeforeOwn, signal?: AbortSignal): Promise<void> {
    const { number } = change;
    const wanted = wantedAddresses(change);
    const application = await this.api.findOrCreate(ownNameOf(change), wanted, before.link, signal);
    if (!isAsWanted(application, wanted)) await this.api.changeAddresses(application.id, wanted, signal);
    const current = await this.api.number(number, signal);
    if (current && isLinkedTo(current, [application])) return;
    await this.api.attach(number, application, signal);
  }

  async verify(change: RouteChange, signal?: AbortSignal): Promise<string | undefined> {
    const { number } = change;
    const current = await this.api.number(number, signal);
    if (!current) return `${number} is not on the account any more`;
    const { link } = current;
    const application = link?.kind === 'application' ? await this.api.application(link.id, signal) : undefined;
    const name = ownNameOf(change);
    if (application?.name !== name)
      return `${number} is not attached to ${name}, but to ${application?.name ?? link?.id ?? 'nothing'}`;
    return differenceOf(this.api, application, wantedAddresses(change));
  }

  async undo(change: RouteChange, before: BeforeOwn, signal?: AbortSignal): Promise<UndoOutcome> {
    const ours = await this.api.applicationsNamed(ownNameOf(change), signal);
    const current = await this.api.number(change.number, signal);
    const outcome = current ? await this.#giveBack(current, before, ours, signal) : 'nothing_to_restore';
    const isLeft = await this.#deleteUnused(change.number, ours, signal);
    if (!current || ours.length === 0) return outcome;
    const now = await this.api.number(change.number, signal);
    if (!now || !isLinkedTo(now, ours)) return outcome;
    // Others have been attached to our application meanwhile, which is all that could be taken away.
    if (isLeft) return 'foreign';
    // A link to nothing is as good as none.
    return (await this.api.application(now.link.id, signal)) ? notAsAsked(change.number) : outcome;
  }

  /** Attaches the number to what it had. What had none keeps ours until that is deleted, where it cannot be detached. */
  async #giveBack(
    { number, link }: AccountNumber,
    before: BeforeOwn,
    ours: readonly Application[],
    signal?: AbortSignal,
  ): Promise<UndoOutcome> {
    const isOurs = isLinkedTo({ link }, ours);
    const done = (outcome: UndoOutcome) => (before.isStale ? 'nothing_to_restore' : outcome);
    if (isSameLink(link, before.link)) return done('unchanged');
    // Attached to nothing: our application was deleted, by us or by hand.
    if (link && !isOurs) return 'foreign';
    if (!before.link || before.isLeftover) {
      if (isOurs) await this.api.detach?.(number, signal);
      return done('restored');
    }
    if (!(await this.#attachTo(number, before.link, signal))) return 'nothing_to_restore';
    const now = await this.api.number(number, signal);
    return isSameLink(now?.link, before.link) ? done('restored') : notAsAsked(number);
  }

  /** @returns false when that application is gone. Of a trunk the carrier's refusal is all there is to know. */
  async #attachTo(number: string, link: NumberLink, signal?: AbortSignal): Promise<boolean> {
    const isGone = async () => link.kind === 'application' && !(await this.api.application(link.id, signal));
    if (await isGone()) return false;
    try {
      await this.api.attach(number, link, signal);
      return true;
    } catch (error) {
      if (error instanceof ProviderRequestError && !error.retryable && (await isGone())) return false;
      throw error;
    }
  }

  /** @returns whether some had to be left, because other numbers use them */
  async #deleteUnused(number: string, ours: readonly Application[], signal?: AbortSignal): Promise<boolean> {
    if (ours.length === 0) return false;
    const others = (await this.api.numbers(signal)).filter((other) => other.number !== number);
    const unused = ours.filter((application) => !others.some((other) => isLinkedTo(other, [application])));
    for (const { id } of unused) await this.api.deleteApplication(id, signal);
    return unused.length < ours.length;
  }
}

function isLinkedTo<N extends Pick<AccountNumber, 'link'>>(
  number: N,
  applications: readonly Pick<Application, 'id'>[],
): number is N & { link: NumberLink } {
  const { link } = number;
  return link?.kind === 'application' && applications.some(({ id }) => id === link.id);
}
