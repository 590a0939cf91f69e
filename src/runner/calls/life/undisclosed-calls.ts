import type { CallRecord } from '../../../call/call-record.js';
import { type DeclaredDisclosure, isDisclosed } from '../../../call/disclosure.js';
import type { CallEffect } from './call-events.js';

/** Whether the other party may hear nothing yet, since they have not heard that a machine calls, and must. */
export const isUndisclosed = (
  record: Pick<CallRecord, 'direction' | 'disclosure' | 'linkedTo'> | undefined,
  declared: DeclaredDisclosure | undefined,
): boolean => record?.disclosure === undefined && isDisclosed(declared, record ?? { direction: 'inbound' });

/** What is done in place of an effect while the other party is to hear nothing of the runner's own: no tone, and no line of words. */
export function unheard(effect: CallEffect): CallEffect | [] {
  if (effect.do === 'play_tone') return [];
  if (effect.do !== 'answer') return effect;
  const { document } = effect;
  if (document.is === 'apology') return { ...effect, document: { is: 'hangup' } };
  return document.is === 'stream' ? { ...effect, document: { ...document, isSilent: true } } : effect;
}
