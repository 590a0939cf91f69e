import type { RouteChange, UndoOutcome } from '../../call/number-routing.js';
import { notAsAsked } from '../account-numbers.js';
import { isAsWanted } from './application-check.js';
import type { BeforeInPlace } from './number-before.js';
import { ADDRESS_NAMES, type AddressName, isSameAddress, type NumbersApi } from './numbers-api.js';

/**
 * Puts back the addresses of an application that an older voicebot has changed for all numbers on it, address by address: one
 * that another person or program has changed meanwhile stays. The answer URL decides what came of it.
 */
export async function undoInPlace(
  api: NumbersApi,
  change: RouteChange,
  { applicationId, addresses, former }: BeforeInPlace,
  signal?: AbortSignal,
): Promise<UndoOutcome> {
  const application = await api.application(applicationId, signal);
  if (!application) return 'nothing_to_restore';
  const isOurs = (name: AddressName) => {
    const { url } = application.addresses[name];
    const isFormer = name === 'fallback' && former?.url === url;
    return isFormer || change.urls.some(({ answerUrl, hangupUrl }) => url === answerUrl || url === hangupUrl);
  };
  const back = Object.fromEntries(
    ADDRESS_NAMES.flatMap((name) => {
      const before = addresses[name];
      return before && !isSameAddress(application.addresses[name], before) && isOurs(name) ? [[name, before]] : [];
    }),
  );
  const isChanging = Object.keys(back).length > 0;
  if (isChanging) {
    await api.changeAddresses(applicationId, back, signal);
    const now = await api.application(applicationId, signal);
    if (now && !isAsWanted(now, back)) notAsAsked(change.number);
  }
  const { answer } = addresses;
  const isForeign = !isOurs('answer') && !(answer && isSameAddress(application.addresses.answer, answer));
  if (isForeign) return 'foreign';
  if (!answer) return 'nothing_to_restore';
  return isChanging ? 'restored' : 'unchanged';
}
