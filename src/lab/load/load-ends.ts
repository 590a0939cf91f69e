import { settlesWithin } from '../../base/async/deadline.js';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import type { EndReason } from '../../call/call.js';
import { conclusionOf } from '../../call/view/conclusion.js';
import { allOf, botFailureIn, textOf } from '../../call/view/events.js';
import type { Runner } from '../../runner/runner.js';
import type { StageCall, StageCalls } from '../stage/stage-calls.js';

/** How long the last work of a call may take before what the runner told of it is forgotten, in milliseconds. */
const END_LIMIT_MS = 10_000;
/** Last words of a bot come by another way than the news of its end: how much later they may be, in milliseconds. */
const LAST_WORDS_LIMIT_MS = 500;

/** How a call ended, as its runner tells it. */
export interface ToldEnd {
  /** Undefined when the runner has not told. */
  readonly reason: EndReason | undefined;
  /** The first bot of the call that has failed while it went on. `at`: milliseconds since the Unix epoch. */
  readonly broke?: { readonly why: string; readonly at: number } | undefined;
  /** What the model of a scenario was asked and no rule answers, for people. */
  readonly unanswered?: string | undefined;
  /** What else was wrong with the end, for people; undefined when nothing was. */
  readonly trouble?: string | undefined;
}

/** Finds out how calls ended, with the last words of bots that broke. */
export class CallEnds {
  readonly #lastWords = new Map<string, { words: string | undefined; readonly known: Deferred<void> }>();

  constructor(
    runner: Pick<Runner, 'on'>,
    private readonly calls: StageCalls,
  ) {
    // A process that serves several calls names the one whose bot has failed.
    runner.on('bot_output', (line) => {
      const callId = /^bot failed in call (\S+) /.exec(line)?.[1];
      if (callId !== undefined) this.#heard(callId, botFailureIn(line));
    });
    runner.on('noted', (callId, event) => {
      if (event.type !== 'log' || event.fields?.exit === undefined) return;
      const { exit, lastLine } = event.fields;
      const words = lastLine === undefined ? '' : `, its last words: ${textOf(lastLine)}`;
      this.#heard(callId, `its process ended with ${textOf(exit)}${words}`);
    });
  }

  /** Resolves when the call has ended at its runner and its bots are done, a while after its end at the latest. */
  async of(callId: string): Promise<ToldEnd> {
    const call = await this.calls.over(callId, END_LIMIT_MS);
    const broken = brokenBotIn(call);
    if (broken) await settlesWithin(this.#of(callId).known.promise, LAST_WORDS_LIMIT_MS);
    const why = this.#lastWords.get(callId)?.words ?? (broken?.outcome === 'hung' ? 'it did not answer' : undefined);
    this.#lastWords.delete(callId);
    return {
      reason: call.record?.endReason,
      ...(broken && { broke: { why: why ?? `its function ${broken.outcome}`, at: broken.at } }),
      trouble: troubleOf(call),
    };
  }

  #heard(callId: string, words: string | undefined): void {
    const last = this.#of(callId);
    last.words ??= words;
    last.known.resolve();
  }

  #of(callId: string) {
    const known = this.#lastWords.get(callId) ?? { words: undefined, known: deferred() };
    this.#lastWords.set(callId, known);
    return known;
  }
}

/** One that has failed after the end of the call is no matter of the caller's. */
function brokenBotIn({ record, events }: StageCall) {
  const { endedAt = Number.POSITIVE_INFINITY } = record ?? {};
  return allOf(events, 'bot_done').find(({ outcome, at }) => outcome !== 'returned' && at <= endedAt);
}

/** A bot that ends its call in order is judged by those who know whether it may. */
function troubleOf({ record, events }: StageCall): string | undefined {
  if (record?.endReason === undefined || ['bot_ended', 'caller_hung_up'].includes(record.endReason)) return undefined;
  const { tone, why } = conclusionOf(record, events, true);
  return tone === 'bad' ? why : undefined;
}
