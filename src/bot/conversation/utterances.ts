import { type InterimTranscriptionFrame, TranscriptionFrame } from '../pipeline/frames/index.js';

/** How long what was said waits for more words where the ears do not tell the end of it, in milliseconds: less than `call.listen` waits. */
const MORE_WORDS_MS = 900;

/** Collects what a party says into whole utterances. */
export class Utterances {
  #words = '';
  /** What seems to have been said since. */
  #interim = '';
  #timer: NodeJS.Timeout | undefined;

  /** @param said is called with each of them when it is over */
  constructor(private readonly said: (words: string) => void) {}

  hear(frame: TranscriptionFrame | InterimTranscriptionFrame): void {
    clearTimeout(this.#timer);
    const isFinal = frame instanceof TranscriptionFrame;
    if (isFinal) this.#words = `${this.#words} ${frame.text}`.trim();
    this.#interim = isFinal ? '' : frame.text;
    if (isFinal && frame.endsUtterance) this.end();
    else if (this.#words !== '') this.#timer = setTimeout(() => this.end(), MORE_WORDS_MS).unref();
  }

  /** Nothing more is said: what there is counts as it is. */
  end(): void {
    clearTimeout(this.#timer);
    const words = `${this.#words} ${this.#interim}`.trim();
    this.#words = '';
    this.#interim = '';
    if (words !== '') this.said(words);
  }
}
