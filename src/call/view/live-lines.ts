import { spaceBetween, writtenWords } from '../../base/written-words.js';
import type { Speaker, TimelineEvent, WordTime } from '../timeline.js';
import { languageAt, type TimelineEventOf } from './events.js';
import { afterHold, CHARACTER_MS } from './lost-speech.js';

/** What is being said and not over yet. Times are milliseconds since the Unix epoch. */
export interface LiveLine {
  readonly kind: 'live';
  /** When it began, or begins, to be heard. */
  readonly at: number;
  readonly speaker: Speaker;
  /** Of the bot: all that its voice has been given. Of the caller: words that may still change. */
  readonly words: readonly LiveWord[];
  /** Since when the bot holds its speech. */
  readonly heldAt?: number | undefined;
  /** What is spoken in the call, a BCP 47 tag, where the bot has said so. */
  readonly language?: string | undefined;
}

export interface LiveWord {
  readonly text: string;
  /** What stands between it and the next: nothing in writing without spaces. */
  readonly space: '' | ' ';
  /** When it begins to be heard; `Infinity` for words that may still change. */
  readonly startsAt: number;
}

/** What is being said in a call, in the order in which it began: what `said` has not told yet. */
export function liveLinesOf(events: readonly TimelineEvent[]): readonly LiveLine[] {
  const talk = new LiveTalk();
  for (const event of events) talk.see(event);
  return talk.lines();
}

/** How many words of a line are heard at a time. */
export function heardWords({ words, heldAt = Number.POSITIVE_INFINITY }: LiveLine, now: number): number {
  const until = Math.min(now, heldAt);
  const first = words.findIndex(({ startsAt }) => startsAt > until);
  return first < 0 ? words.length : first;
}

/** When the next word begins to be heard; undefined where none will, or it is not known when. */
export function nextWordAt(lines: readonly LiveLine[], now: number): number | undefined {
  const times = lines.flatMap(({ words, heldAt }) =>
    heldAt === undefined ? words.flatMap(({ startsAt }) => (startsAt > now ? [startsAt] : [])) : [],
  );
  const next = Math.min(...times);
  return Number.isFinite(next) ? next : undefined;
}

/** An utterance of a bot that is not over. */
interface OpenUtterance {
  readonly bot: number | undefined;
  readonly id: number | undefined;
  pieces: Array<TimelineEventOf<'saying'>>;
  times: WordTime[];
}

/** Follows what is being said, event by event, as far as it is known. */
export class LiveTalk {
  #utterances: OpenUtterance[] = [];
  /** Utterances that are over, by bot and number. */
  readonly #over = new Set<string>();
  #heldAt: number | undefined;
  #interim: { readonly text: string; readonly at: number } | undefined;
  /** When the caller began to say what is not understood yet. */
  #callerSince: number | undefined;
  readonly #languages: TimelineEventOf<'language_changed'>[] = [];

  see(event: TimelineEvent): void {
    switch (event.type) {
      case 'saying':
        this.#say(event);
        break;
      case 'word_times': {
        const utterance = this.#utterances.find(({ bot, id }) => bot === event.bot && id === event.utterance);
        utterance?.times.splice(event.from, Number.POSITIVE_INFINITY, ...event.words);
        break;
      }
      case 'hold_started':
        this.#heldAt = event.at;
        break;
      case 'speech_held':
        this.#heldAt = undefined;
        this.#moveOn(event);
        break;
      case 'speech_started':
        // An earlier sound that nothing was understood of, a cough, is not when it began.
        if (event.speaker === 'caller' && !this.#interim) this.#callerSince = event.at;
        break;
      case 'interim_transcript':
        this.#interim =
          event.text.trim() === ''
            ? undefined
            : { text: event.text, at: this.#interim?.at ?? this.#callerSince ?? event.at };
        break;
      case 'said':
        if (event.speaker === 'bot') this.#heard(event);
        else {
          this.#interim = undefined;
          this.#callerSince = undefined;
        }
        break;
      case 'language_changed':
        this.#languages.push(event);
        break;
      case 'bot_done':
        this.#utterances = this.#utterances.filter(({ bot }) => bot !== event.bot);
        this.#interim = undefined;
        this.#heldAt = undefined;
        break;
    }
  }

  /** A bot says something that is not over, or is about to. */
  get isBotSpeaking(): boolean {
    return this.#utterances.length > 0;
  }

  lines(): readonly LiveLine[] {
    const bot = this.#utterances.map((utterance): LiveLine => {
      const at = utterance.pieces[0]?.startsAt ?? 0;
      return {
        kind: 'live',
        at,
        speaker: 'bot',
        words: wordsOf(utterance),
        heldAt: this.#heldAt,
        ...this.#languageAt(at),
      };
    });
    if (!this.#interim) return bot;
    const { text, at } = this.#interim;
    const startsAt = Number.POSITIVE_INFINITY;
    const words = writtenWords(text).map(({ text, space }) => ({ text, space, startsAt }));
    return [...bot, { kind: 'live', at, speaker: 'caller', words, ...this.#languageAt(at) } as const].sort(
      (a, b) => a.at - b.at,
    );
  }

  #languageAt(at: number): Pick<LiveLine, 'language'> {
    const language = languageAt(this.#languages, at);
    return language ? { language } : {};
  }

  #say(piece: TimelineEventOf<'saying'>): void {
    if (this.#over.has(`${piece.bot} ${piece.utterance}`)) return; // the time of an end may lie before that of a piece
    const known = this.#utterances.findLast(
      ({ bot, id }) => bot === piece.bot && (piece.utterance === undefined || id === piece.utterance),
    );
    if (known) known.pieces.push(piece);
    else this.#utterances.push({ bot: piece.bot, id: piece.utterance, pieces: [piece], times: [] });
  }

  /** What was held is heard later. */
  #moveOn(event: TimelineEventOf<'speech_held'>): void {
    const heldAt = event.at - event.ms;
    for (const utterance of this.#utterances) {
      utterance.pieces = afterHold(utterance.pieces, event);
      utterance.times = utterance.times.map((word) =>
        word.endsAt <= heldAt ? word : { ...word, startsAt: word.startsAt + event.ms, endsAt: word.endsAt + event.ms },
      );
    }
  }

  /** Without a number, the utterance is found by its text; else they are over in the order in which they began. */
  #heard({ bot, text, unheard = '', utterance }: TimelineEventOf<'said'>): void {
    if (utterance !== undefined) this.#over.add(`${bot} ${utterance}`);
    const said = lettersOf(text + unheard);
    const open = this.#utterances.filter((one) => one.bot === bot);
    const isItsText = ({ pieces }: OpenUtterance) =>
      said.startsWith(lettersOf(pieces.map((piece) => piece.text).join('')));
    const over = utterance === undefined ? (open.find(isItsText) ?? open[0]) : open.find(({ id }) => id === utterance);
    this.#utterances = this.#utterances.filter((one) => one !== over);
  }
}

const lettersOf = (text: string) => text.replace(/\s+/g, '');

/** A text of words that stand one after the other. */
export const textOfWords = (words: readonly LiveWord[]): string =>
  words.map(({ text, space }) => text + space).join('');

/** The words with the times that are known, and between them in proportion to their letters. */
function wordsOf({ pieces, times }: OpenUtterance): LiveWord[] {
  const known = timesIn(pieces.map((piece) => piece.text).join(' '), times);
  const words: Array<LiveWord & { readonly isKnown: boolean }> = [];
  let from = 0;
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    const limitMs = next ? (next.startsAt - piece.startsAt) / (piece.text.length + 1) : CHARACTER_MS;
    const characterMs = Math.max(0, Math.min(CHARACTER_MS, limitMs));
    const tokens = writtenWords(piece.text);
    for (const [at, token] of tokens.entries()) {
      const begin = from + token.from;
      const found = known.find((one) => one.from < begin + token.text.length && begin < one.to);
      const startsAt = found ? timeWithin(found, begin) : piece.startsAt + token.from * characterMs;
      const space = next && at === tokens.length - 1 ? spaceBetween(piece.text, next.text) : token.space;
      words.push({ text: token.text, space, startsAt, isKnown: found !== undefined });
    }
    from += piece.text.length + 1;
  }
  return inTheirOrder(words);
}

/** What is known counts more than what is estimated. */
function inTheirOrder(words: ReadonlyArray<LiveWord & { readonly isKnown: boolean }>): LiveWord[] {
  const ordered: LiveWord[] = [];
  let latest = Number.POSITIVE_INFINITY;
  for (const { isKnown, ...word } of words.toReversed()) {
    latest = isKnown ? word.startsAt : Math.min(latest, word.startsAt);
    ordered.unshift({ ...word, startsAt: latest });
  }
  for (const [index, word] of ordered.entries()) {
    const before = ordered[index - 1]?.startsAt ?? word.startsAt;
    if (word.startsAt < before) ordered[index] = { ...word, startsAt: before };
  }
  return ordered;
}

/** Where the words stand in the text whose times are known. */
function timesIn(text: string, times: readonly WordTime[]) {
  let cursor = 0;
  return times.flatMap(({ text: written, startsAt, endsAt }) => {
    const word = written.trim();
    const from = text.indexOf(word, cursor);
    if (from < 0 || word === '') return [];
    cursor = from + word.length;
    return [{ from, to: cursor, startsAt, endsAt }];
  });
}

/** A voice may take several words for one. */
function timeWithin({ from, to, startsAt, endsAt }: ReturnType<typeof timesIn>[number], at: number): number {
  return startsAt + (Math.max(0, at - from) / (to - from)) * (endsAt - startsAt);
}
