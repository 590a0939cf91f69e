import type { CoverageKind } from './bot-items.js';
import type { BotCoverage, TestCoverage } from './coverage.js';

const KINDS: Readonly<Record<CoverageKind, readonly [one: string, many: string]>> = {
  function: ['function', 'functions'],
  transfer: ['transfer', 'transfers'],
  sentence: ['sentence', 'sentences'],
  key: ['key', 'keys'],
  end: ['end', 'ends'],
};
/** Texts that are not counted are named up to here. */
const MOST_UNREAD = 3;

/** Of one kind, for a table. */
export interface KindCoverage {
  readonly kind: CoverageKind;
  readonly name: string;
  readonly touched: number;
  readonly of: number;
}

/** Only the kinds that the bot has. */
export const kindsOf = ({ items }: BotCoverage): KindCoverage[] =>
  (Object.keys(KINDS) as CoverageKind[]).flatMap((kind) => {
    const all = items.filter((item) => item.kind === kind);
    const touched = all.filter(({ isTouched }) => isTouched).length;
    return all.length === 0 ? [] : [{ kind, name: KINDS[kind][1], touched, of: all.length }];
  });

/** An item that no call has touched, in words. @param shown how a file is shown */
export interface UntouchedItem {
  readonly what: string;
  readonly place: string;
}

export const untouchedOf = ({ items }: BotCoverage, shown: (file: string) => string): UntouchedItem[] =>
  items
    .filter(({ isTouched }) => !isTouched)
    .map(({ kind, name, file, line }) => ({
      what: `${KINDS[kind][0]} ${kind === 'sentence' ? `"${name}"` : name}`,
      place: file === undefined ? '' : `${shown(file)}:${line}`,
    }));

/** What was not counted because a literal is missing; empty where all was read. */
export function unreadWords({ unread }: BotCoverage, shown: (file: string) => string): string {
  if (unread.length === 0) return '';
  const places = unread.slice(0, MOST_UNREAD).map(({ file, line }) => `${shown(file)}:${line}`);
  const more = unread.length > MOST_UNREAD ? `, and ${unread.length - MOST_UNREAD} more` : '';
  const count = unread.length === 1 ? '1 text is no literal and is' : `${unread.length} texts are no literals and are`;
  return `${count} not counted: ${places.join(', ')}${more}`;
}

/** What is not known of keys; empty where all are known, or no call has anything to touch with them. */
export function maskedWords({ items, maskedCalls }: BotCoverage): string {
  const isComplete = items.every(({ kind, isTouched }) => kind !== 'key' || isTouched);
  if (isComplete || maskedCalls === 0) return '';
  return `keys in ${maskedCalls === 1 ? '1 call are' : `${maskedCalls} calls are`} masked and not known: they touch no key`;
}

/** What a person is told, a line each. */
export function coverageLines({ bots, touched, of, percent }: TestCoverage, shown: (file: string) => string): string[] {
  return [
    ...bots.flatMap((bot) => [
      `${shown(bot.bot)}  ${bot.percent} %: ${kindsOf(bot)
        .map((one) => `${one.touched} of ${one.of} ${one.name}`)
        .join(', ')}`,
      ...untouchedOf(bot, shown).map(({ what, place }) => `  no scenario touches  ${what}${place && `  ${place}`}`),
      ...[maskedWords(bot), unreadWords(bot, shown)].filter(Boolean).map((words) => `  ${words}`),
    ]),
    `Scenarios touch ${percent} % of what the bots have: ${touched} of ${of}`,
  ];
}

/** The fields of the event `coverage`. */
export const coverageEvent = ({ bots, touched, of, percent }: TestCoverage) => ({
  percent,
  touched,
  of,
  bots: bots.map((bot) => ({
    bot: bot.bot,
    percent: bot.percent,
    kinds: Object.fromEntries(kindsOf(bot).map((one) => [one.kind, { touched: one.touched, of: one.of }])),
    untouched: bot.items
      .filter(({ isTouched }) => !isTouched)
      .map(({ kind, name, file, line }) => ({ kind, name, file, line })),
    unread: bot.unread,
    ...(bot.maskedCalls > 0 && { maskedCalls: bot.maskedCalls }),
  })),
});
