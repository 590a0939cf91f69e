import type { RouteChange, RouteTarget, RouteUrls } from '../../call/number-routing.js';
import { canBeFallback, unreadableBefore } from '../account-numbers.js';
import type { IncomingNumber, VoiceApplication, VoiceField, VoiceSettings } from './numbers-api.js';

/** How a number was before its addresses were changed. */
export interface SettingsBefore {
  readonly kind: 'number';
  readonly sid: string;
  readonly settings: VoiceSettings;
  /** Those of its addresses that were ours: no runner answers there, and they are not put back. */
  readonly dead: readonly VoiceField[];
  /** Asked for a call's document when we are gone. */
  readonly former?: { readonly url: string; readonly method: string };
}

/** Where calls go. */
export const ROUTE = ['VoiceUrl', 'VoiceMethod', 'VoiceApplicationSid', 'TrunkSid'] as const;

/** What is given back together: an address that is ours takes its method, and what overrides it, along. */
export const PARTS: ReadonlyArray<readonly [address: VoiceField, ...others: VoiceField[]]> = [
  ROUTE,
  ['VoiceFallbackUrl', 'VoiceFallbackMethod'],
  ['StatusCallback', 'StatusCallbackMethod'],
];

/** @param application the one that the number has */
export function readBefore(
  { sid, settings }: IncomingNumber,
  application: VoiceApplication | undefined,
  isOldAddress: RouteTarget['isOldAddress'],
): SettingsBefore {
  const isDead = (address: VoiceField) =>
    !(address === 'VoiceUrl' && isOverridden(settings)) && settings[address] !== '' && isOldAddress(settings[address]);
  // A trunk, and an application that has been deleted, have no address of their own to fall back to.
  const { url, method } = servedBy(settings, application);
  const hasFormer = canBeFallback(url) && !isOldAddress(url);
  return {
    kind: 'number',
    sid,
    settings,
    dead: PARTS.map(([address]) => address).filter(isDead),
    ...(hasFormer && { former: { url, method: method || 'POST' } }),
  };
}

/** Whether the number's own address for calls does not count. */
export const isOverridden = ({ VoiceApplicationSid, TrunkSid }: VoiceSettings): boolean =>
  VoiceApplicationSid !== '' || TrunkSid !== '';

/** Who is asked for a call's document; an empty address where it is not the carrier's own HTTP that asks. */
export function servedBy(
  { TrunkSid, VoiceApplicationSid, VoiceUrl, VoiceMethod }: VoiceSettings,
  application: VoiceApplication | undefined,
): { readonly url: string; readonly method: string } {
  if (TrunkSid) return { url: '', method: '' };
  if (VoiceApplicationSid) return { url: application?.voiceUrl ?? '', method: application?.voiceMethod ?? '' };
  return { url: VoiceUrl, method: VoiceMethod };
}

/** @throws VoicebotError VB_RESTORE_FAILED when it is nothing of this dialect */
export function beforeOf({ before, number }: RouteChange): SettingsBefore {
  if ((before as Partial<SettingsBefore> | null | undefined)?.kind === 'number') return before as SettingsBefore;
  throw unreadableBefore(number);
}

/** What the number is to be set to, so that callers reach the former service when we are gone. */
export function wantedSettings(change: RouteChange): VoiceSettings {
  const { answerUrl, hangupUrl } = change.urls.at(-1) as RouteUrls;
  const fallback = beforeOf(change).former ?? { url: answerUrl, method: 'POST' };
  return {
    VoiceUrl: answerUrl,
    VoiceMethod: 'POST',
    VoiceFallbackUrl: fallback.url,
    VoiceFallbackMethod: fallback.method,
    StatusCallback: hangupUrl,
    StatusCallbackMethod: 'POST',
    VoiceApplicationSid: '',
    TrunkSid: '',
  };
}

/** Whether this lease has given the carrier this address. */
export function isOfLease(change: RouteChange, field: VoiceField, url: string): boolean {
  const isFormer = field === 'VoiceFallbackUrl' && beforeOf(change).former?.url === url;
  return isFormer || change.urls.some(({ answerUrl, hangupUrl }) => url === answerUrl || url === hangupUrl);
}
