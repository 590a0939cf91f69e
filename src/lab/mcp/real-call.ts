import { setTimeout as delay } from 'node:timers/promises';
import { VoicebotError } from '../../base/errors.js';
import { endWords } from '../../call/end-text.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { lastOf } from '../../call/view/events.js';
import { RunnerClient } from '../../runners/runner-client.js';
import { RunningRunners } from '../../runners/running-runners.js';
import { BotTalk } from '../scenario/bot-talk.js';
import { answerTimeOf } from '../scenario/call-lines.js';
import type { WordPattern } from '../scenario/words.js';
import type { LabLine } from './lab-line.js';

const LOOK_MS = 100;

/** A call that a runner makes to a real telephone: the lab follows what the runner tells of it. */
export class RealCall implements LabLine {
  readonly events: TimelineEvent[] = [];
  readonly #talk = new BotTalk();
  readonly #closing = new AbortController();
  #end: string | undefined;

  /** @param url of the runner, for people */
  constructor(
    runner: Pick<RunnerClient, 'follow'>,
    callId: string,
    readonly url: string,
  ) {
    const note = (event: TimelineEvent) => {
      this.events.push(event);
      this.#talk.note(event);
    };
    runner.follow(callId, note, this.#closing.signal).then(
      () => {
        this.#end = this.#endInWords();
      },
      (error: Error) => {
        this.#end = `Nothing more is known of the call, which may go on: ${error.message}`;
      },
    );
  }

  get nowMs(): number {
    const last = lastOf(this.events, 'record')?.record;
    return last?.answeredAt === undefined ? 0 : (last.endedAt ?? Date.now()) - answerTimeOf(this.events);
  }

  get end(): string | undefined {
    return this.#end;
  }

  words(words: WordPattern, withinMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#until(() => this.#talk.hasSaid(words), withinMs, signal);
  }

  ended(withinMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#until(() => this.#end !== undefined, withinMs, signal);
  }

  /** The call goes on. */
  leave(): void {
    this.#closing.abort();
  }

  async #until(isMet: () => boolean, withinMs: number, signal: AbortSignal): Promise<boolean> {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      if (isMet()) return true;
      if (this.#end !== undefined || performance.now() >= giveUpAt) return false;
      await delay(LOOK_MS, undefined, { signal });
    }
  }

  #endInWords(): string {
    const { endReason, direction } = lastOf(this.events, 'record')?.record ?? {};
    const why = endReason ? endWords(endReason, direction) : 'the runner has not told why';
    return `The call is over: ${why}`;
  }
}

/** Numbers of the offline network: a range that is kept for fiction. Every other one may be a person's. */
const FICTION = /^\+120255501\d\d$/;

export const isReal = (number: string): boolean => !FICTION.test(number);

/**
 * Checks that a person has allowed the lab to call a real number; the agent cannot allow it.
 * @throws VoicebotError VB_TARGET_REFUSED
 */
export function checkAllowed(number: string, allowed: readonly string[]): void {
  if (allowed.includes(number)) return;
  throw new VoicebotError(
    'VB_TARGET_REFUSED',
    `${number} is a real number, and this lab is offline: its own numbers are +12025550100 to +12025550199`,
    {
      hint: `Only a person may allow it, where voicebot mcp gets its environment or in .env: VOICEBOT_LAB_NUMBERS=${[...allowed, number].join(',')}; then voicebot mcp has to be started again`,
    },
  );
}

/**
 * Has the bot of the runner on the account call a real number.
 * @param home state directory
 * @throws VoicebotError VB_RUNNER_NOT_FOUND when none is on an account; what the runner refuses the call with
 */
export async function dialReal(
  home: string,
  to: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly callId: string; readonly call: RealCall }> {
  const { url, token } = await new RunningRunners(home).find({ onAccount: true });
  const runner = new RunnerClient(url, token);
  const { callId } = await runner.start({ to, body, query: {} });
  return { callId, call: new RealCall(runner, callId, url) };
}
