import { fieldsOf, textOf } from '../vendor-fields.js';
import type { LiveServerEvent } from './realtime-model.js';

/** Of the contract's own events, those that need nothing done. */
const IDLE: ReadonlySet<LiveServerEvent['type']> = new Set<LiveServerEvent['type']>([
  'speech-started',
  'speech-stopped',
  'audio-committed',
  'input-transcription-completed',
  'conversation-item-added',
  'output-item-added',
  'output-item-done',
  'content-part-added',
  'content-part-done',
  'audio-done',
  'audio-transcript-done',
  'text-delta',
  'text-done',
  'function-call-arguments-delta',
]);

/** Tells of each kind of what a vendor tells that is not known, once. */
export class UnknownEvents {
  readonly #known = new Set<string>();

  /** @param passedOver kinds of the vendor's own that need nothing done */
  constructor(
    private readonly passedOver: RegExp,
    private readonly tell: (kind: string) => void,
  ) {}

  see({ type }: LiveServerEvent): void {
    if (!IDLE.has(type)) this.#tellOnce(type);
  }

  /** @param kind as the vendor calls it */
  seeKind(kind: string): void {
    if (!this.passedOver.test(kind)) this.#tellOnce(kind);
  }

  #tellOnce(kind: string): void {
    if (this.#known.has(kind)) return;
    this.#known.add(kind);
    this.tell(kind.slice(0, 100));
  }
}

/** What an answer has failed with, in the vendor's words; undefined where it has not. */
export function errorOfResponse(status: string, raw: unknown): string | undefined {
  if (status !== 'failed') return undefined;
  const details = fieldsOf(fieldsOf(fieldsOf(raw).response).status_details);
  const error = fieldsOf(details.error);
  return [textOf(error.code), textOf(error.message)].filter(Boolean).join(', ') || 'the answer failed';
}
