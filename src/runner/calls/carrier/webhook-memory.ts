import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../../../base/logger.js';
import { DayFiles } from '../../../base/process/day-files.js';
import { LONGEST_CALL_MS } from '../../../call/call.js';
import type { CallId } from '../../../call/call-id.js';

/** What is remembered of a webhook's nonce or of a call: enough to know it again. */
type WebhookMark = string;

/**
 * The webhooks that were answered and the calls that have ended, on disk, so that a runner started later does not take a
 * captured request for a new call. A signature says nothing of its age; what is remembered is good for as long as a call
 * can last: everything of today and yesterday, in UTC, with a file for each day.
 */
export class WebhookMemory {
  readonly #files: DayFiles;
  readonly #days = new Map<string, Set<WebhookMark>>();
  #hasFailed = false;

  /** @param stateDirectory where this user's runners keep what outlives them */
  constructor(
    stateDirectory: string,
    private readonly logger: Logger,
    private readonly now: () => number = Date.now,
  ) {
    this.#files = new DayFiles(join(stateDirectory, 'webhooks'));
    for (const day of this.#rememberedDays()) this.#days.set(day, this.#read(day));
    this.#forgetOld();
  }

  /** @param nonce what the carrier gives a request once */
  hasAnswered(nonce: string): boolean {
    return this.#has(markOf('nonce', nonce));
  }

  answered(nonce: string): void {
    this.#add(markOf('nonce', nonce));
  }

  hasEnded(callId: CallId): boolean {
    return this.#has(markOf('call', callId));
  }

  ended(callId: CallId): void {
    this.#add(markOf('call', callId));
  }

  #has(mark: WebhookMark): boolean {
    return [...this.#days.values()].some((marks) => marks.has(mark));
  }

  #add(mark: WebhookMark): void {
    if (this.#has(mark)) return;
    const [today] = this.#rememberedDays();
    if (!this.#days.has(today)) {
      this.#days.set(today, new Set());
      this.#forgetOld();
    }
    this.#days.get(today)?.add(mark);
    try {
      this.#files.add(today, mark);
    } catch (error) {
      if (!this.#hasFailed) this.logger.warn('webhooks are remembered only until this runner stops', { error });
      this.#hasFailed = true;
    }
  }

  /** Today, then yesterday. */
  #rememberedDays(): [today: string, yesterday: string] {
    return [dayOf(this.now()), dayOf(this.now() - LONGEST_CALL_MS)];
  }

  #forgetOld(): void {
    const [, yesterday] = this.#rememberedDays();
    for (const day of this.#days.keys()) if (day < yesterday) this.#days.delete(day);
    this.#files.removeBefore(yesterday);
  }

  #read(day: string): Set<WebhookMark> {
    try {
      return new Set(this.#files.lines(day));
    } catch {
      return new Set();
    }
  }
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length);

function markOf(kind: 'nonce' | 'call', text: string): WebhookMark {
  return createHash('sha256').update(`${kind} ${text}`).digest('base64url').slice(0, 22);
}
