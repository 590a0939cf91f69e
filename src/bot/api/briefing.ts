import { setTimeout as wait } from 'node:timers/promises';
import { deferred } from '../../base/async/deferred.js';
import type { WarmTerms } from '../../call/consult.js';
import { yesOrNo } from '../../call/yes-and-no.js';
import { AnswererWatch } from '../conversation/answerer-watch.js';
import type { CallLeg } from './call-leg.js';
import type { Heard, ListenOptions } from './caller-ear.js';
import type { Sound } from './sound.js';

/** Longest briefing with what is asked behind it and the wait for the answer, in milliseconds. */
const BRIEFING_MS = 60_000;
/** How long the answer is waited for before the briefing is repeated, and afterwards, in milliseconds. */
const ANSWER_MS = 8_000;
/** How often it is said. */
const TIMES = 2;

/** The call of a destination that is briefed. */
export interface BriefedCall {
  /** @internal */
  readonly leg: CallLeg;
  say(what: string | Sound): Promise<boolean>;
  interrupt(): void;
  listen(options: ListenOptions): Promise<Heard | undefined>;
}

/** What became of a briefing. */
export type BriefingResult =
  | { readonly status: 'accepted' }
  | { readonly status: 'declined' | 'hung_up' | 'voicemail'; readonly detail: string };

/**
 * Briefs the destination of a warm transfer, twice where it does not answer, and asks whether it takes the call.
 * @param question what it is asked behind that; undefined: it need not accept
 * @param signal gives it up: it has come to nothing then
 */
export async function brief(
  colleague: BriefedCall,
  terms: WarmTerms,
  question: string | undefined,
  signal: AbortSignal,
): Promise<BriefingResult> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const watch = new AnswererWatch();
  colleague.leg.watch(watch);
  const late = wait(BRIEFING_MS, LATE, { signal: either }).catch(() => GIVEN_UP);
  try {
    return await Promise.race([
      accepted(colleague, terms, question, either),
      colleague.leg.ended.then((reason) => (reason === 'voicemail' ? MACHINE : HUNG_UP)),
      watch.machine.then(() => MACHINE),
      late,
    ]);
  } finally {
    stop.abort();
    colleague.interrupt();
    await colleague.say([]); // nothing of it is left on its way
  }
}

/** Resolves with what the destination has answered, or that it has not. */
async function accepted(
  colleague: BriefedCall,
  { accept, key, brief }: WarmTerms,
  question: string | undefined,
  signal: AbortSignal,
): Promise<BriefingResult> {
  if (question === undefined) {
    await colleague.say(brief);
    return { status: 'accepted' };
  }
  const asked = deferred<void>();
  const answered = accept === 'key' ? pressed(colleague, key) : asked.promise.then(() => spoken(colleague));
  return Promise.race([answered, saidInVain(colleague, brief, question, asked.resolve, signal)]);
}

/** The key counts from the first word of the briefing on; any other declines. */
async function pressed(colleague: BriefedCall, key: string | undefined): Promise<BriefingResult> {
  const heard = await colleague.listen({ keys: 1, timeoutMs: 10 * BRIEFING_MS });
  if (heard?.keys === key) return { status: 'accepted' };
  return { status: 'declined', detail: heard ? `it has pressed ${heard.keys}` : NOT_TAKEN.detail };
}

/** An answer counts from the first word of the question on, also while the briefing is repeated; other words mean nothing. */
async function spoken(colleague: BriefedCall): Promise<BriefingResult> {
  for (;;) {
    const heard = await colleague.listen({ words: true, timeoutMs: 10 * BRIEFING_MS });
    if (heard?.words === undefined) return NOT_TAKEN;
    const answer = yesOrNo(heard.words);
    if (answer === 'yes') return { status: 'accepted' };
    if (answer === 'no') return { status: 'declined', detail: 'it has said no' };
  }
}

/** @param asked called when the question begins @param signal nothing more is said then: who has taken the call hears the caller */
async function saidInVain(
  colleague: BriefedCall,
  text: string,
  question: string,
  asked: () => void,
  signal: AbortSignal,
): Promise<BriefingResult> {
  for (let time = 1; time <= TIMES && !signal.aborted; time += 1) {
    await colleague.say(text);
    if (signal.aborted) break;
    asked();
    await colleague.say(question);
    await wait(ANSWER_MS, undefined, { signal }).catch(() => {});
  }
  return NOT_TAKEN;
}

const NOT_TAKEN = { status: 'declined', detail: 'it has not answered what it was asked' } as const;
const LATE = { status: 'declined', detail: `it had not taken the call after ${BRIEFING_MS / 1_000} s` } as const;
const GIVEN_UP = { status: 'declined', detail: 'the briefing was given up' } as const;
const HUNG_UP = { status: 'hung_up', detail: 'it hung up while it was briefed' } as const;
const MACHINE = { status: 'voicemail', detail: 'a machine has answered' } as const;
