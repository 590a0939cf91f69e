import type { ProviderError } from '../../../base/provider-error.js';
import type { ServiceModel } from '../../../call/service-name.js';
import type { EndOfTurnFrame } from '../../pipeline/frames/index.js';

/** What an {@link Ear} tells. Nothing comes any more after a final error, and once it was closed. */
export interface EarListener {
  /** What the caller seems to be saying since the last final words; empty when it seems to have been nothing. */
  interim(text: string): void;
  /**
   * Words that will not change any more; empty when the audio held none.
   * @param endsUtterance the vendor has heard the caller stop
   * @param untilMs how much of the audio since the first `write` is done with, in milliseconds; undefined: all of it
   */
  final(text: string, endsUtterance: boolean, untilMs?: number): void;
  /** What a vendor that detects the ends of turns says of this one. */
  endOfTurn(is: EndOfTurnFrame['is']): void;
  /** Something went wrong: it was mended, unless `isFinal`: then no more words come. */
  troubled(error: ProviderError): void;
  /** There is a connection that takes audio, or there is none. Optional to tell: ears that never do count as connected. */
  connected?(isConnected: boolean, error?: ProviderError): void;
  /** Other ears go on in the place of those that have failed. */
  switched?(what: SwitchedEars): void;
  /** The vendor was sent so many more seconds of sound, those that it is sent again among them. */
  used?(seconds: number, by: ServiceModel): void;
}

/** Of ears that have failed, and of those that hear now. */
export interface SwitchedEars {
  readonly from: EarSource;
  readonly to: EarSource;
  readonly error: ProviderError;
  /** How long there were none that worked, in milliseconds. */
  readonly ms: number;
}

/** Writes down what the caller of one call says. */
export interface Ear {
  /** Audio the vendor never got because it was away for too long, in milliseconds. */
  readonly droppedMs: number;
  /** The next samples of the caller's: mono, at the rate the ear was made for. Never waits. */
  write(pcm: Int16Array): void;
  /** The caller's voice begins or ends, as the voice detector of the conversation has it. */
  voice?(isHeard: boolean): void;
  /** Has another connection take the place of the present one. @param words what is wrong with that: `said nothing to …` */
  renew?(words: string): void;
  /** Ears that wait, and have not begun yet, are those of another source. @returns whether they are */
  become?(source: EarSource): boolean;
  /** Lets go of everything, in good order; nothing more is told. Safe at any time, and twice. */
  close(): void;
}

/** Sound without final words that is kept, where ears do not ask for more, in milliseconds. */
export const BACKLOG_MS = 10_000;

/** Which vendor's model listens, and what makes an ear for one call. */
export interface EarSource {
  /** Name of the vendor, as people know it. */
  readonly provider: string;
  /** Which of the vendor's models listens. */
  readonly model?: string | undefined;
  /** The vendor's host, where it is known. */
  readonly host?: string | undefined;
  /** What these understand, a BCP 47 tag; undefined: several languages, or it is not known. */
  readonly language?: string | undefined;
  /** The same for another language; the ears themselves where they were given one, or know only one. @param language BCP 47 */
  inLanguage?(language: string): EarSource;
  /** They tell something about once a second, in silence too: when nothing comes, they are late. */
  readonly answersSilence?: boolean | undefined;
  /** Those that are tried again when these have failed; false: these tell themselves how they are. Default: these. */
  readonly watched?: EarSource | false | undefined;
  /** Sound without final words that these ask to be kept, in milliseconds. Default: 10,000. */
  readonly backlogMs?: number | undefined;
  /**
   * Makes the ear of one call.
   * @param sampleRate of what will be written, in hertz
   * @param backlogMs so much of what is written at once is to be kept at least, in milliseconds
   */
  create(sampleRate: number, listener: EarListener, backlogMs?: number): Ear;
}

/** As much as any of them asks for: the others hear it again. */
export const longestBacklogMs = (sources: readonly EarSource[]): number =>
  Math.max(...sources.map(({ backlogMs = BACKLOG_MS }) => backlogMs));
