import { VoicebotError } from '../../base/errors.js';
import type { RouteChange, RouteTarget, RouteUrls } from '../../call/number-routing.js';
import { canBeFallback, unreadableBefore } from '../account-numbers.js';
import type { AccountNumber, Application, CallAddress, CallAddresses, NumberLink } from './numbers-api.js';

/** How a number was before an application of ours took it over. */
export interface BeforeOwn {
  readonly kind: 'own';
  /** What the number was attached to. */
  readonly link?: NumberLink | undefined;
  /** Calls there went to an old address of ours: no runner answers when it is put back. */
  readonly isStale: boolean;
  /** And voicebot has made that application: it is not put back at all. */
  readonly isLeftover: boolean;
  /** Asked for a call's document when we are gone. */
  readonly former?: CallAddress | undefined;
}

/** How the number's application was before an older voicebot changed its addresses: only read, and put back. */
export interface BeforeInPlace {
  readonly kind: 'in_place';
  readonly applicationId: string;
  /** Missing are those that were addresses of ours: nothing to put back. */
  readonly addresses: Partial<CallAddresses>;
  readonly former?: CallAddress | undefined;
}

type NumberBefore = BeforeOwn | BeforeInPlace;

const OUR_NAME = /^voicebot-\d{7,15}-[a-z0-9]{8,32}$/;

/** What the application of a lease is called: letters, digits and `-`, at most 57 characters (carrier reference 1.5), which other carriers take too. */
export const ownNameOf = ({ number, leaseId }: Pick<RouteChange, 'number' | 'leaseId'>) =>
  `voicebot-${number.replace(/^\+/, '')}-${leaseId}`;

/** Whether voicebot has made this application, for whichever lease. */
export const isMadeByVoicebot = ({ name }: Application) => OUR_NAME.test(name);

/** @throws VoicebotError VB_REGISTRATION_FAILED for what could not be put back */
export function readBefore(
  { number, link }: AccountNumber,
  application: Application | undefined,
  isOldAddress: RouteTarget['isOldAddress'],
): BeforeOwn {
  if (link?.kind === 'other') {
    throw new VoicebotError(
      'VB_REGISTRATION_FAILED',
      `${number} is attached to ${link.id}, which could not be put back`,
      {
        hint: "use another number, or attach this one to an application in the carrier's console",
      },
    );
  }
  const answer = application?.addresses.answer;
  const isStale = answer !== undefined && answer.url !== '' && isOldAddress(answer.url);
  const former = answer && !isStale && canBeFallback(answer.url) ? { former: answer } : {};
  const isLeftover = isStale && application !== undefined && isMadeByVoicebot(application);
  return { kind: 'own', ...(link && { link }), isStale, isLeftover, ...former };
}

/** @throws VoicebotError VB_RESTORE_FAILED when it is nothing of this dialect */
export function beforeOf({ before, number }: RouteChange): NumberBefore {
  const kind = (before as Partial<NumberBefore> | null | undefined)?.kind;
  if (kind === 'own' || kind === 'in_place') return before as NumberBefore;
  throw unreadableBefore(number);
}

/** What the application is to be set to, so that callers reach the former service when we are gone. */
export function wantedAddresses(change: RouteChange): CallAddresses {
  const { answerUrl, hangupUrl } = change.urls.at(-1) as RouteUrls;
  const answer = { url: answerUrl, method: 'POST' };
  return { answer, hangup: { url: hangupUrl, method: 'POST' }, fallback: beforeOf(change).former ?? answer };
}
