import type { ProviderError } from '../../../base/provider-error.js';
import type { ServiceUsage } from '../../../call/usage.js';
import type { CallerItemsListener } from './caller-items.js';
import type { LiveAnswer } from './live-answer.js';

export interface LiveSessionListener extends CallerItemsListener {
  /** Something went wrong: it was mended, unless `isFinal`. */
  troubled(error: ProviderError): void;
  /** The vendor tells of something that is not known; told once for each kind. */
  unknown(kind: string): void;
  /** The vendor charges for it. */
  used?(usage: ServiceUsage): void;
  /** An answer has not begun in its time. */
  slow?(answer: LiveAnswer): void;
}
