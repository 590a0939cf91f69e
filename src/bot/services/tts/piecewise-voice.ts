import type { ProviderError } from '../../../base/provider-error.js';
import type { TimedWord } from '../../pipeline/frames/index.js';
import type { Speech, SpeechListener, Voice, VoiceListener } from './voice.js';

export interface PieceListener {
  /** @param words of this audio, counted from its first sample, where it is known when they are spoken */
  audio(pcm: Int16Array, words?: readonly TimedWord[]): void;
  /** Once, not before the piece was begun. */
  over(error?: ProviderError): void;
}

/** Begins to say a piece of text. @returns what stops it */
export type SayPiece = (text: string, listener: PieceListener) => () => void;

/** A voice that says one piece of text after the other, each by itself. */
export class PiecewiseVoice implements Voice {
  #speech: PiecewiseSpeech | undefined;

  constructor(
    private readonly sayPiece: SayPiece,
    readonly sampleRate: number,
    private readonly listener: VoiceListener,
    readonly warmUp = (): void => {},
  ) {}

  speak(listener: SpeechListener): Speech {
    this.#speech?.cancel();
    this.#speech = new PiecewiseSpeech(
      this.sayPiece,
      {
        ...listener,
        failed: (error) => {
          this.listener.troubled(error);
          listener.failed(error);
        },
      },
      this.sampleRate,
    );
    return this.#speech;
  }

  close(): void {
    this.#speech?.cancel();
  }
}

class PiecewiseSpeech implements Speech {
  readonly #texts: string[] = [];
  #stop: (() => void) | undefined;
  #said = 0;
  #samples = 0;
  #isEnded = false;
  #isOver = false;

  constructor(
    private readonly sayPiece: SayPiece,
    private readonly listener: SpeechListener,
    private readonly sampleRate: number,
  ) {}

  say(text: string): void {
    this.#texts.push(text);
    this.#next();
  }

  end(): void {
    this.#isEnded = true;
    this.#next();
  }

  cancel(): void {
    this.#isOver = true;
    this.#stop?.();
  }

  #next(): void {
    if (this.#isOver || this.#stop) return;
    const text = this.#texts[this.#said];
    if (text !== undefined) this.#stop = this.#start(text);
    else if (this.#isEnded) {
      this.#isOver = true;
      this.listener.done();
    }
  }

  #start(text: string): () => void {
    return this.sayPiece(text, {
      audio: (pcm, words = []) => {
        if (this.#isOver) return;
        const fromMs = (this.#samples * 1_000) / this.sampleRate;
        this.#samples += pcm.length;
        this.listener.audio(pcm);
        const moved = words.map(({ text, startMs, endMs }) => ({
          text,
          startMs: startMs + fromMs,
          endMs: endMs + fromMs,
        }));
        if (!this.#isOver) this.listener.words(moved);
      },
      over: (error) => {
        this.#stop = undefined;
        if (this.#isOver) return;
        if (error) {
          this.#isOver = true;
          this.listener.failed(error);
          return;
        }
        this.#said += 1;
        this.listener.said(this.#said);
        this.#next();
      },
    });
  }
}
