import { CHARACTER_MS, wholeWords } from '../../call/view/lost-speech.js';
import type { TimedWord, Utterance } from '../pipeline/frames/index.js';

/** A stretch of text that begins at one moment of the audio. */
interface Piece {
  readonly startMs: number;
  /** Where it begins and ends in the text. */
  readonly from: number;
  readonly to: number;
}

interface HeardWord extends TimedWord {
  /** Where it ends in the text. */
  readonly to: number;
}

/** Words of an utterance with their places in the output's audio. `from`: how many words of it stand before them. */
export interface UtteranceWords {
  readonly utterance: Utterance;
  readonly from: number;
  readonly words: readonly TimedWord[];
}

interface PendingSpeech {
  readonly utterance: Utterance;
  readonly startMs: number;
  endMs: number | undefined;
  text: string;
  readonly pieces: Piece[];
  readonly words: HeardWord[];
}

/** What the caller has heard of an utterance. */
export interface HeardSpeech {
  readonly utterance: Utterance;
  readonly text: string;
  /** The rest of its text, as far as the voice has told it. */
  readonly unheard: string;
  /** Where what was heard begins and ends, in milliseconds of the output's audio. */
  readonly startMs: number;
  readonly endMs: number;
  readonly wasInterrupted: boolean;
}

/** Told once for each utterance. */
export type OnHeard = (speech: HeardSpeech) => void;

/**
 * Knows which words of what the bot says the caller has heard: by the times of the words where the voice gives them, else in
 * proportion to the audio of each piece of text. All positions in milliseconds of the output's audio.
 */
export class HeardText {
  #speeches: PendingSpeech[] = [];

  constructor(private readonly onHeard: OnHeard) {}

  /** The audio of an utterance begins at `atMs`. */
  start(utterance: Utterance, atMs: number): void {
    this.#speeches.push({ utterance, startMs: atMs, endMs: undefined, text: '', pieces: [], words: [] });
  }

  /** The next piece of text, whose audio begins at `atMs`. @returns false when nothing more of its utterance will be heard */
  addText(utterance: Utterance, text: string, atMs: number): boolean {
    const speech = this.#find(utterance);
    if (!speech) return false;
    const from = speech.text.length;
    speech.text += text;
    speech.pieces.push({ startMs: atMs, from, to: speech.text.length });
    return true;
  }

  /** Words that the voice did not take from the text are passed over. @returns the others */
  addTiming(utterance: Utterance, words: readonly TimedWord[]): UtteranceWords {
    const speech = this.#find(utterance);
    if (!speech) return { utterance, from: 0, words: [] };
    const known = speech.words.length;
    for (const { text, startMs, endMs } of words) {
      const last = speech.words.at(-1)?.to ?? 0;
      const at = speech.text.indexOf(text.trim(), last);
      if (at < 0) continue;
      const [from, until] = [speech.startMs + startMs, speech.startMs + endMs];
      speech.words.push({ text: text.trim(), startMs: from, endMs: until, to: at + text.trim().length });
    }
    return { utterance, from: known, words: speech.words.slice(known) };
  }

  /** The words that are heard after `atMs`. */
  wordsAfter(atMs: number): readonly UtteranceWords[] {
    return this.#speeches.flatMap(({ utterance, words }) => {
      const from = words.findIndex(({ startMs }) => startMs >= atMs);
      return from < 0 ? [] : [{ utterance, from, words: words.slice(from) }];
    });
  }

  /** All audio of an utterance stands before `atMs`. */
  stop(utterance: Utterance, atMs: number): void {
    const speech = this.#find(utterance);
    if (speech) speech.endMs = atMs;
  }

  /** Everything before `atMs` has been heard. */
  heardUntil(atMs: number): void {
    while (this.#speeches[0]?.endMs !== undefined && this.#speeches[0].endMs <= atMs) {
      const [{ utterance, text, startMs, endMs = atMs }] = this.#speeches.splice(0, 1) as [PendingSpeech];
      this.onHeard({ utterance, text: text.trim(), unheard: '', startMs, endMs, wasInterrupted: false });
    }
  }

  /** Where the word begins that is being spoken at `atMs`; `atMs` itself where that is not known. */
  wordStart(atMs: number): number {
    const speech = this.#speeches.findLast(({ startMs }) => startMs <= atMs);
    if (!speech || (speech.endMs !== undefined && speech.endMs <= atMs)) return atMs;
    if (speech.words.length > 0) {
      const start = speech.words.findLast(({ startMs, endMs }) => startMs <= atMs && atMs < endMs)?.startMs;
      return start ?? atMs;
    }
    const heard = heardLength(speech, atMs);
    const piece = speech.pieces.findLast(({ startMs, from }) => from <= heard && startMs < atMs);
    return piece ? Math.min(atMs, timeOf(speech, piece, heard)) : atMs;
  }

  /** Nothing after `atMs` will be heard. */
  cut(atMs: number): void {
    this.heardUntil(atMs);
    for (const speech of this.#speeches.splice(0)) {
      const { utterance, startMs } = speech;
      const heard = heardLength(speech, atMs);
      const text = speech.text.slice(0, heard).trim();
      const unheard = speech.text.slice(heard).trim();
      this.onHeard({ utterance, text, unheard, startMs, endMs: Math.max(startMs, atMs), wasInterrupted: true });
    }
  }

  #find(utterance: Utterance): PendingSpeech | undefined {
    return this.#speeches.find((speech) => speech.utterance === utterance);
  }
}

/** How much of the text was heard, in characters: whole words only. */
function heardLength(speech: PendingSpeech, atMs: number): number {
  const byWords = speech.words.findLast(({ endMs }) => endMs <= atMs)?.to ?? 0;
  const piece = speech.pieces.findLast(({ startMs }) => startMs < atMs);
  if (!piece) return 0;
  if ((speech.words.at(-1)?.to ?? 0) > piece.from) return byWords; // the times of a later piece may not be there yet
  const { startMs, from, to } = piece;
  const endMs = endOf(speech, piece);
  const share = endMs > startMs ? Math.min(1, (atMs - startMs) / (endMs - startMs)) : 1;
  return wholeWords(speech.text, from + Math.floor((to - from) * share));
}

/** When a piece has been spoken, in milliseconds of the output's audio; estimated while its audio is not all there. */
function endOf({ pieces, endMs }: PendingSpeech, piece: Piece): number {
  return pieces[pieces.indexOf(piece) + 1]?.startMs ?? endMs ?? piece.startMs + (piece.to - piece.from) * CHARACTER_MS;
}

/** When the text of a piece has been spoken up to a character, in proportion to its audio. */
function timeOf(speech: PendingSpeech, piece: Piece, to: number): number {
  const share = Math.min(1, (to - piece.from) / Math.max(1, piece.to - piece.from));
  return piece.startMs + share * (endOf(speech, piece) - piece.startMs);
}
