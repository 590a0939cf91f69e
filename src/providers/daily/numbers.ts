import { VoicebotError } from '../../base/errors.js';
import { ProviderRequestError } from '../../base/http/provider-request-error.js';
import type {
  NumberRoute,
  NumberRouting,
  RouteChange,
  RouteTarget,
  RouteUrls,
  UndoOutcome,
} from '../../call/number-routing.js';
import { unknownNumber } from '../account-numbers.js';
import type { RoomsCredentials } from '../rooms/room-provider.js';
import type { DialinConfig, KnownDialinSettings } from './dialin-settings.js';
import { DailyRestClient } from './rest.js';

/**
 * How a number was set: `own` has an entry of its own, `legacy` is in the array of the domain, `none` is in neither (or in
 * an entry that voicebot made and no run needs any more). `stale` had an address of ours that no runner answers, in an entry
 * that voicebot did not make: there is nothing to put back into it. `staleUrl` is that address.
 */
type DialinBefore =
  | { readonly kind: 'own'; readonly id: string; readonly webhookUrl: string; readonly secret?: string | undefined }
  | { readonly kind: 'legacy'; readonly webhookUrl: string; readonly secret: string }
  | { readonly kind: 'none'; readonly staleUrl?: string | undefined }
  | { readonly kind: 'stale'; readonly id?: string | undefined; readonly staleUrl: string };

/** Where a number is set now; `own` is undefined for the array of the domain. */
interface Holder {
  readonly own: DialinConfig | undefined;
  readonly settings: KnownDialinSettings;
}

/** What the entries that voicebot makes are labelled with; the lease follows. */
const LABEL = 'voicebot-';
/** The last of the path of every voicebot's webhook. */
const OUR_PATH = /\/rooms-dialin-webhook$/;

/**
 * @throws VoicebotError VB_CREDENTIALS_MISSING, VB_CONFIG_INVALID
 * @see rooms reference 3 and 5
 */
export function createDailyNumberRouting(credentials: RoomsCredentials): NumberRouting {
  return new DailyNumberRouting(new DailyRestClient(credentials));
}

/** Changes the one entry of a number and leaves everything else of the domain as it is, byte for byte. */
export class DailyNumberRouting implements NumberRouting {
  /** The array of the domain. */
  readonly changesOneAtATime = true;

  constructor(private readonly client: DailyRestClient) {}

  async list(signal?: AbortSignal): Promise<readonly NumberRoute[]> {
    const listed = await this.#numbers(signal);
    const configs = await this.client.listDialinConfigs(signal);
    const { legacyDialin } = await this.client.domain(signal);
    const numbers = listed ?? legacyDialin.flatMap(({ phoneNumber }) => phoneNumber ?? []).sort();
    return numbers.map((number) => routeOf(number, holderOf(number, configs, legacyDialin)));
  }

  async plan(
    { number, urls, leaseId, secret, isOldAddress }: RouteTarget,
    signal?: AbortSignal,
  ): Promise<{ readonly change: RouteChange; readonly route: NumberRoute }> {
    const numbers = await this.#numbers(signal);
    if (numbers && !numbers.includes(number))
      throw unknownNumber(number, numbers, 'ROOMS_PHONE_NUMBER', "buy a number in the provider's dashboard");
    const holder = await this.#find(number, signal);
    const before = beforeOf(number, holder, secret !== undefined, isOldAddress);
    return { change: { number, leaseId, urls: [urls], secret, before }, route: routeOf(number, holder) };
  }

  async apply(change: RouteChange, signal?: AbortSignal): Promise<void> {
    const { number, secret } = change;
    const before = change.before as DialinBefore;
    const wanted = { webhookUrl: currentUrl(change), ...(secret !== undefined && { secret }) };
    if (before.kind === 'none') return this.#applyToNone(change, wanted, before.staleUrl, signal);
    const id = before.kind === 'legacy' ? undefined : before.id;
    if (id !== undefined) await this.client.updateDialinConfig(id, wanted, signal);
    else await this.client.setLegacyDialin({ phoneNumber: number, ...wanted }, signal);
  }

  async verify(change: RouteChange, signal?: AbortSignal): Promise<string | undefined> {
    const { number, secret } = change;
    const holder = await this.#find(number, signal);
    if (!holder) return `${number} has no dial-in settings`;
    const { webhookUrl, secret: stored } = holder.settings;
    if (webhookUrl !== currentUrl(change)) {
      return `calls to ${number} go to ${webhookUrl ? withoutQuery(webhookUrl) : 'no address'} and not to ${currentUrl(change)}`;
    }
    const isSecretOther = secret !== undefined && stored !== undefined && stored !== secret;
    return isSecretOther ? `the webhooks of ${number} are signed with another secret than ours` : undefined;
  }

  async undo(change: RouteChange, signal?: AbortSignal): Promise<UndoOutcome> {
    const before = change.before as DialinBefore;
    const holder = await this.#find(change.number, signal);
    if (before.kind === 'none') return this.#undoNone(change, before.staleUrl, holder, signal);
    const id = before.kind === 'legacy' ? undefined : before.id;
    if (!holder) return 'nothing_to_restore';
    if (holder.own?.id !== id) return 'foreign';
    const { settings } = holder;
    if (before.kind === 'stale') return isOurs(change, settings, before.staleUrl) ? 'nothing_to_restore' : 'foreign';

    const isBefore = settings.webhookUrl === before.webhookUrl;
    const isSecretBefore = settings.secret === before.secret || before.secret === undefined;
    if (isBefore && isSecretBefore) return 'unchanged';
    // The address put back by hand, and our secret still there: no receiver could verify what is signed with it.
    const isHalf = isBefore && change.secret !== undefined && settings.secret === change.secret;
    if (!isHalf && !isOurs(change, settings)) return 'foreign';
    await this.#putBack(change.number, before, signal);
    return 'restored';
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /**
   * Makes an entry, unless one of ours is there: after a move, or when the answer that tells of it was lost. Where the
   * provider knows the array of the domain only, the entry is made in that.
   */
  async #applyToNone(
    change: RouteChange,
    wanted: { readonly webhookUrl: string; readonly secret?: string },
    staleUrl: string | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    const { number, leaseId } = change;
    const update = async () => {
      const holder = await this.#find(number, signal);
      if (!holder || !(holder.own || isMadeByUs(holder)) || !isOurs(change, holder.settings, staleUrl)) return false;
      if (holder.own) await this.client.updateDialinConfig(holder.own.id, wanted, signal);
      else await this.client.setLegacyDialin({ phoneNumber: number, ...wanted }, signal);
      return true;
    };
    if (await update()) return;
    try {
      const settings = { phoneNumber: number, namePrefix: LABEL + leaseId, ...wanted };
      const created = await this.client.createDialinConfig(settings, signal);
      if (!created) await this.client.setLegacyDialin(settings, signal);
    } catch (error) {
      if (!(error instanceof ProviderRequestError && error.mayBeDone && (await update()))) throw error;
    }
  }

  async #undoNone(
    change: RouteChange,
    staleUrl: string | undefined,
    holder: Holder | undefined,
    signal?: AbortSignal,
  ): Promise<UndoOutcome> {
    const isStale = staleUrl !== undefined;
    if (!holder) return isStale ? 'nothing_to_restore' : 'unchanged';
    if (!(holder.own || isMadeByUs(holder)) || !isOurs(change, holder.settings, staleUrl)) return 'foreign';
    if (holder.own) await this.client.deleteDialinConfig(holder.own.id, signal);
    else await this.client.removeLegacyDialin(change.number, signal);
    if (await this.#find(change.number, signal)) throw notAsAsked();
    return isStale ? 'nothing_to_restore' : 'restored';
  }

  async #putBack(
    phoneNumber: string,
    before: Extract<DialinBefore, { kind: 'own' | 'legacy' }>,
    signal?: AbortSignal,
  ): Promise<void> {
    const { webhookUrl, secret } = before;
    const settings = { webhookUrl, ...(secret !== undefined && { secret }) };
    if (before.kind === 'legacy') return this.client.setLegacyDialin({ phoneNumber, ...settings }, signal);
    await this.client.updateDialinConfig(before.id, settings, signal);
    const { settings: stored } = await this.client.getDialinConfig(before.id, signal);
    const isBack = stored.webhookUrl === webhookUrl && (secret === undefined || stored.secret === secret);
    if (!isBack) throw notAsAsked();
  }

  /** Undefined where the provider does not list them. */
  async #numbers(signal?: AbortSignal): Promise<readonly string[] | undefined> {
    const numbers = await this.client.listPhoneNumbers(signal);
    return numbers?.map(({ number }) => number).sort();
  }

  async #find(number: string, signal?: AbortSignal): Promise<Holder | undefined> {
    const configs = await this.client.listDialinConfigs(signal);
    const own = holderOf(number, configs, []);
    if (own) return own;
    return holderOf(number, [], (await this.client.domain(signal)).legacyDialin);
  }
}

/** @throws VoicebotError VB_REGISTRATION_FAILED for what could not be put back */
function beforeOf(
  number: string,
  holder: Holder | undefined,
  changesSecret: boolean,
  isOldAddress: (url: string) => boolean,
): DialinBefore {
  if (!holder) return { kind: 'none' };
  const { own, settings } = holder;
  const { webhookUrl, secret } = settings;
  if (own && own.type !== 'pinless_dialin') {
    throw cannotBePutBack(
      `callers of ${number} key in which room they want`,
      'use another number, or delete the PIN dial-in settings of this one',
    );
  }
  // In the array an entry without its secret gets a new one, whatever else is changed.
  if (secret === undefined && (changesSecret || !own)) {
    throw cannotBePutBack(
      `${number} has a secret that the provider does not show, so that it could not be put back`,
      "set ROOMS_WEBHOOK_SECRET to the number's present secret and give it again in the provider's dashboard, or delete these dial-in settings there",
    );
  }
  if (webhookUrl === undefined) {
    throw cannotBePutBack(
      `${number} has dial-in settings without a webhook, which could not be put back`,
      "give them a webhook in the provider's dashboard, or delete them there",
    );
  }
  if (isOldAddress(webhookUrl)) {
    return isMadeByUs(holder)
      ? { kind: 'none', staleUrl: webhookUrl }
      : { kind: 'stale', id: own?.id, staleUrl: webhookUrl };
  }
  if (own) return { kind: 'own', id: own.id, webhookUrl, secret };
  return { kind: 'legacy', webhookUrl, secret: secret ?? '' };
}

function holderOf(
  number: string,
  configs: readonly DialinConfig[],
  legacy: readonly KnownDialinSettings[],
): Holder | undefined {
  const own = configs.find(({ settings }) => settings.phoneNumber === number);
  if (own) return { own, settings: own.settings };
  const settings = legacy.find(({ phoneNumber }) => phoneNumber === number);
  return settings && { own: undefined, settings };
}

function routeOf(number: string, holder: Holder | undefined): NumberRoute {
  const webhookUrl = holder?.settings.webhookUrl;
  return {
    number,
    webhookUrl,
    heldBy: holder && describe(holder),
    isOurs: webhookUrl !== undefined && isOurPath(webhookUrl),
  };
}

function describe({ own, settings }: Holder): string {
  const kind = own?.type === 'pin_dialin' ? 'PIN dial-in settings' : 'dial-in settings';
  const where = own ? kind : `${kind} of the domain`;
  return settings.namePrefix ? `${where} (${settings.namePrefix})` : where;
}

/** Whether voicebot has made the entry, and did not find it there. */
const isMadeByUs = ({ settings }: Holder) => settings.namePrefix?.startsWith(LABEL) === true;

/** For messages: a query can hold what is secret. */
const withoutQuery = (url: string) => url.replace(/[?#].*$/s, '');

const isOurPath = (url: string) => URL.canParse(url) && OUR_PATH.test(new URL(url).pathname);

const currentUrl = ({ urls }: RouteChange): string => (urls.at(-1) as RouteUrls).answerUrl;

/** Whether an address is one that this change has set, or the old one of ours that it has found. */
const isOurs = ({ urls }: RouteChange, { webhookUrl }: KnownDialinSettings, staleUrl?: string) =>
  webhookUrl !== undefined && (webhookUrl === staleUrl || urls.some(({ answerUrl }) => answerUrl === webhookUrl));

const cannotBePutBack = (detail: string, hint: string) => new VoicebotError('VB_REGISTRATION_FAILED', detail, { hint });

const notAsAsked = () =>
  new ProviderRequestError('VB_ROOMS_REQUEST_FAILED', 'afterwards the dial-in settings were not what was asked for', {
    hint: 'see whether another person or program changes the dial-in settings of this domain, and what they are now',
    mayBeDone: true,
  });
