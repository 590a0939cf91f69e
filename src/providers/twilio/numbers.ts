import { VoicebotError } from '../../base/errors.js';
import type { RestOptions } from '../../base/http/rest-client.js';
import type { NumberRoute, NumberRouting, RouteChange, RouteTarget, UndoOutcome } from '../../call/number-routing.js';
import { type AccountNames, namesOf } from '../account-names.js';
import { canBeFallback, notAsAsked, targetedNumber } from '../account-numbers.js';
import type { CarrierCredentials } from '../carrier.js';
import { openApi } from './api.js';
import {
  beforeOf,
  isOfLease,
  isOverridden,
  PARTS,
  ROUTE,
  readBefore,
  servedBy,
  wantedSettings,
} from './number-before.js';
import {
  type IncomingNumber,
  IncomingNumbersApi,
  type VoiceApplication,
  type VoiceField,
  type VoiceSettings,
} from './numbers-api.js';

/**
 * Where the calls to the numbers of an account go: the carrier keeps addresses on each number. What the number does with
 * messages is never touched.
 * @throws VoicebotError VB_CREDENTIALS_MISSING, VB_IDENTIFIER_INVALID
 * @see carrier reference 7.1
 */
export async function createTwilioNumberRouting(
  credentials: CarrierCredentials,
  options?: RestOptions,
): Promise<NumberRouting> {
  return new TwilioNumberRouting(new IncomingNumbersApi(openApi(credentials, options)), namesOf(credentials));
}

class TwilioNumberRouting implements NumberRouting {
  constructor(
    private readonly api: IncomingNumbersApi,
    private readonly names: AccountNames,
  ) {}

  async list(signal?: AbortSignal): Promise<readonly NumberRoute[]> {
    const numbers = await this.api.numbers(signal);
    const hasApplications = numbers.some(({ settings }) => settings.VoiceApplicationSid !== '');
    const applications = hasApplications ? await this.api.applications(signal) : [];
    return numbers.map((number) => {
      const { VoiceApplicationSid } = number.settings;
      return routeOf(
        number,
        applications.find(({ sid }) => sid === VoiceApplicationSid),
      );
    });
  }

  async plan(
    target: RouteTarget,
    signal?: AbortSignal,
  ): Promise<{ readonly change: RouteChange; readonly route: NumberRoute }> {
    const { number, leaseId, urls, isOldAddress } = target;
    const current = await targetedNumber(target, this.api, this.names, signal);
    const { VoiceApplicationSid } = current.settings;
    const application = VoiceApplicationSid ? await this.api.application(VoiceApplicationSid, signal) : undefined;
    const before = readBefore(current, application, isOldAddress);
    return { change: { number, leaseId, urls: [urls], before }, route: routeOf(current, application) };
  }

  async apply(change: RouteChange, signal?: AbortSignal): Promise<void> {
    const { sid } = beforeOf(change);
    const current = await this.api.number(sid, signal);
    const different = current && differing(current.settings, wantedSettings(change));
    if (different && Object.keys(different).length === 0) return;
    if (different && (await this.api.change(sid, different, signal)) === 'changed') return;
    throw new VoicebotError('VB_REGISTRATION_FAILED', `${change.number} is not on the account any more`, {
      hint: `set ${this.names.phoneNumber} to one of its numbers`,
    });
  }

  async verify(change: RouteChange, signal?: AbortSignal): Promise<string | undefined> {
    const current = await this.api.number(beforeOf(change).sid, signal);
    if (!current) return `${change.number} is not on the account any more`;
    const wanted = wantedSettings(change);
    const [field] = Object.keys(differing(current.settings, wanted)) as VoiceField[];
    if (field === undefined) return undefined;
    const told = (value: string) => value || 'empty';
    return `${field} of ${change.number} is ${told(current.settings[field])} and not ${told(wanted[field])}`;
  }

  /** Address by address: one that another person or program has changed meanwhile stays. Who answers decides what came of it. */
  async undo(change: RouteChange, signal?: AbortSignal): Promise<UndoOutcome> {
    const before = beforeOf(change);
    const current = await this.api.number(before.sid, signal);
    if (!current) return 'nothing_to_restore';
    const { settings } = current;
    const isAsBefore = ROUTE.every((field) => settings[field] === before.settings[field]);
    const isForeign = !isOurRoute(change, settings) && !isAsBefore;
    const back = settingsBack(change, settings);
    const isChanging = Object.keys(back).length > 0;
    if (isChanging) {
      if ((await this.api.change(before.sid, back, signal)) === 'no_such_number') return 'nothing_to_restore';
      const now = await this.api.number(before.sid, signal);
      if (now && Object.keys(differing(now.settings, back)).length > 0) notAsAsked(change.number);
    }
    if (isForeign) return 'foreign';
    if (before.dead.includes('VoiceUrl')) return 'nothing_to_restore';
    return isChanging ? 'restored' : 'unchanged';
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

/** Whether calls go to an address of this lease. */
function isOurRoute(change: RouteChange, settings: VoiceSettings): boolean {
  return isOfLease(change, 'VoiceUrl', settings.VoiceUrl) && !isOverridden(settings);
}

/** What of the number is ours still, as it was before. */
function settingsBack(change: RouteChange, settings: VoiceSettings): Partial<VoiceSettings> {
  const { settings: before, dead } = beforeOf(change);
  const isBack = (address: VoiceField) => isOfLease(change, address, settings[address]) && !dead.includes(address);
  const ours = PARTS.filter(([address]) => isBack(address)).flat();
  const fields = isOverridden(settings) ? ours.filter((field) => !OVERRIDES.includes(field)) : ours;
  return differing(settings, Object.fromEntries(fields.map((field) => [field, before[field]])));
}

const OVERRIDES: readonly VoiceField[] = ['VoiceApplicationSid', 'TrunkSid'];

/** The part of `wanted` that is not so. */
function differing(settings: VoiceSettings, wanted: Partial<VoiceSettings>): Partial<VoiceSettings> {
  const fields = Object.entries(wanted) as [VoiceField, string][];
  return Object.fromEntries(fields.filter(([field, value]) => settings[field] !== value));
}

function routeOf(
  { number, settings, takesCalls }: IncomingNumber,
  application: VoiceApplication | undefined,
): NumberRoute {
  const { url } = servedBy(settings, application);
  return {
    number,
    webhookUrl: url || undefined,
    heldBy: heldBy(settings, application),
    isOurs: isMadeByVoicebot(settings),
    takesCalls,
    isUnanswered: !settings.TrunkSid && (url === '' || DEMO.test(url)),
    isFallback: canBeFallback(url),
  };
}

function heldBy(
  { TrunkSid, VoiceApplicationSid, VoiceUrl }: VoiceSettings,
  application: VoiceApplication | undefined,
): string | undefined {
  if (TrunkSid) return `SIP trunk ${TrunkSid}`;
  if (VoiceApplicationSid) {
    const name = `TwiML application ${application?.name || VoiceApplicationSid}`;
    return application?.voiceUrl ? name : `${name}, which has no address`;
  }
  return VoiceUrl ? (ownProductAt(VoiceUrl) ?? 'set on the number') : undefined;
}

/** What a new number plays. */
const DEMO = /^https?:\/\/demo\.twilio\.com\//;

/** What of the carrier's own serves calls at an address, where it is one of its products. */
function ownProductAt(url: string): string | undefined {
  if (DEMO.test(url)) return "the carrier's demo";
  const [, flow] = /^https:\/\/webhooks\.twilio\.com\/v1\/Accounts\/[^/]+\/Flows\/(\w+)/.exec(url) ?? [];
  if (flow) return `Studio flow ${flow}`;
  const [, bin] = /^https:\/\/handler\.twilio\.com\/twiml\/(\w+)/.exec(url) ?? [];
  if (bin) return `TwiML Bin ${bin}`;
  return /^https:\/\/[\w-]+\.twil\.io\//.test(url) ? 'Twilio function' : undefined;
}

/** Nothing on a number bears a mark of ours: the two addresses of one runner have to do. */
function isMadeByVoicebot(settings: VoiceSettings): boolean {
  const base = /^(.+)\/answer$/.exec(settings.VoiceUrl)?.[1];
  return base !== undefined && settings.StatusCallback === `${base}/hangup` && !isOverridden(settings);
}
