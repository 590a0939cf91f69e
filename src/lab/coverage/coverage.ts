import { MASKED_KEY } from '../../call/folder/event-file.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf, lastOf } from '../../call/view/events.js';
import type { ScenarioRun } from '../scenario/call-story.js';
import { bareWords } from '../scenario/words.js';
import { type BotItems, botItems, type CoverageItem } from './bot-items.js';

/** What of a call tells what it has touched. */
export type CoveringCall = Pick<ScenarioRun, 'events' | 'receivedKeys'>;

/** How much of one bot the calls of a test have touched. */
export interface BotCoverage {
  /** Absolute path of its file. */
  readonly bot: string;
  readonly items: ReadonlyArray<CoverageItem & { readonly isTouched: boolean }>;
  readonly unread: BotItems['unread'];
  /** Calls with keys that are masked and not known: they touch no item. */
  readonly maskedCalls: number;
  /** As of {@link TestCoverage}. */
  readonly percent: number;
}

/** Over all bots. */
export interface TestCoverage {
  readonly bots: readonly BotCoverage[];
  readonly touched: number;
  readonly of: number;
  /** Whole per cent, rounded down; 100 where there is nothing to touch. */
  readonly percent: number;
}

/** @param files of the bot, by absolute path: its own, and those that it imports */
export function botCoverage(
  bot: string,
  files: ReadonlyMap<string, string>,
  calls: readonly CoveringCall[],
): BotCoverage {
  const { items, unread } = botItems(files);
  const heard = calls.map((call) => new TouchedBy(call));
  const maskedCalls = calls.filter((call) => call.receivedKeys.includes(MASKED_KEY)).length;
  const all = [...items, ...unwritten(items, calls)];
  const judged = all.map((item) => ({ ...item, isTouched: heard.some((call) => call.touches(item)) }));
  return { bot, unread, maskedCalls, items: judged, percent: percentOf(touchedIn(judged), judged.length) };
}

export function testCoverage(bots: readonly BotCoverage[]): TestCoverage {
  const items = bots.flatMap((bot) => bot.items);
  const touched = touchedIn(items);
  return { bots, touched, of: items.length, percent: percentOf(touched, items.length) };
}

const touchedIn = (items: BotCoverage['items']): number => items.filter(({ isTouched }) => isTouched).length;

export const percentOf = (touched: number, of: number): number => (of === 0 ? 100 : Math.floor((100 * touched) / of));

/** Functions that the model may call and that are not written as `tools: { … }`, and the end of a bot that returns. */
function unwritten(items: readonly CoverageItem[], calls: readonly CoveringCall[]): readonly CoverageItem[] {
  const names = calls.flatMap(({ events }) =>
    allOf(events, 'model_asked').flatMap(({ functions = {} }) => Object.keys(functions)),
  );
  const known = new Set(items.map(({ kind, name }) => `${kind} ${name}`));
  const found = [...new Set(names)].map(
    (name): CoverageItem => ({ kind: 'function', name, file: undefined, line: undefined }),
  );
  const ended = calls.some(({ events }) => endOf(events) === 'bot_ended');
  const ends: CoverageItem[] = ended ? [{ kind: 'end', name: 'bot_ended', file: undefined, line: undefined }] : [];
  return [...found, ...ends].filter(({ kind, name }) => !known.has(`${kind} ${name}`));
}

const endOf = (events: readonly TimelineEvent[]) => lastOf(events, 'record')?.record.endReason;

/** What one call has touched. */
class TouchedBy {
  readonly #spoken: readonly string[];
  readonly #events: CoveringCall['events'];
  readonly #keys: string;

  constructor({ events, receivedKeys }: CoveringCall) {
    this.#events = events;
    this.#keys = receivedKeys;
    const saying = allOf(events, 'saying').map(({ text }) => text);
    const said = allOf(events, 'said').filter(({ speaker }) => speaker === 'bot');
    this.#spoken = [saying, said.map(({ text }) => text)].map((texts) => ` ${bareWords(texts.join(' '))} `);
  }

  /** Of each transfer, whether it was answered: a bot that is not told of it any more has connected the caller. */
  get #transfers(): boolean[] {
    const over = allOf(this.#events, 'transfer_over').map(({ status }) => status === 'answered');
    return endOf(this.#events) === 'transferred' ? [...over, true] : over;
  }

  touches({ kind, name, pieces = [] }: CoverageItem): boolean {
    switch (kind) {
      case 'function':
        return allOf(this.#events, 'tool_called').some((one) => one.name === name);
      case 'transfer':
        return this.#transfers.some((isAnswered) => isAnswered === (name === 'answered'));
      case 'sentence':
        return this.#spoken.some((spoken) => hasPieces(spoken, pieces));
      case 'key':
        return this.#keys.includes(name);
      case 'end':
        return endOf(this.#events) === name;
    }
  }
}

/** Whether all pieces were said, in this order. */
function hasPieces(spoken: string, pieces: readonly string[]): boolean {
  let from = 0;
  for (const piece of pieces.map(bareWords).filter(Boolean)) {
    const at = spoken.indexOf(` ${piece} `, from);
    if (at < 0) return false;
    from = at + piece.length + 1;
  }
  return true;
}
