import {
  type Frame,
  type FrameDirection,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../../pipeline/frames/index.js';
import type { Ear, EarListener, EarSource } from '../stt/ear.js';
import { SttService } from '../stt/index.js';

/** Of the caller's sound before they are noticed to speak, so much is kept, in milliseconds. */
const LEAD_MS = 500;
/** Sound that is kept at most, in milliseconds. */
const MOST_MS = 30_000;

/**
 * Ears that wait, in one call, until those before them have failed: they hear the caller's last turn then, as far as it was not
 * answered, and all that follows.
 */
export class StandbyEars implements EarSource {
  #pieces: Int16Array[] = [];
  #keptMs = 0;
  #sampleRate = 8_000;
  #listener: EarListener | undefined;
  #ear: Ear | undefined;
  /** One that hears what one turn is about. */
  #asked: Ear | undefined;
  #isAwake = false;
  #isOver = false;
  /** The caller has spoken, and was not answered. */
  #isTurn = false;
  /** Gets the next final words, in place of whom they are told to otherwise. */
  #words: ((text: string) => void) | undefined;

  /** Which of them wake: those of the language that is spoken. */
  #chosen: EarSource;

  constructor(private readonly source: EarSource) {
    this.#chosen = source;
  }

  get provider(): string {
    return this.source.provider;
  }

  get model(): string | undefined {
    return this.source.model;
  }

  get language(): string | undefined {
    return this.source.language;
  }

  get backlogMs(): number | undefined {
    return this.source.backlogMs;
  }

  get watched(): EarSource | false {
    return this.source.watched ?? this.source;
  }

  inLanguage(language: string): EarSource {
    const source = this.source.inLanguage?.(language) ?? this.source;
    if (source === this.source) return this;
    const { provider, model, backlogMs } = source;
    const create: EarSource['create'] = (...of) => this.#create(source, ...of);
    return { provider, model, backlogMs, language: source.language, create };
  }

  create(sampleRate: number, listener: EarListener, backlogMs?: number): Ear {
    return this.#create(this.source, sampleRate, listener, backlogMs);
  }

  #create(source: EarSource, ...of: Parameters<EarSource['create']>): Ear {
    if (this.#isAwake) return source.create(...of);
    const [sampleRate, listener] = of;
    this.#chosen = source;
    this.#sampleRate = sampleRate;
    this.#listener = listener;
    const dropped = () => this.#ear?.droppedMs ?? 0;
    return {
      get droppedMs() {
        return dropped();
      },
      write: (pcm) => this.#write(pcm),
      voice: (isHeard) => this.#ear?.voice?.(isHeard),
      renew: (words) => this.#ear?.renew?.(words),
      become: (other) => {
        if (!this.#isAwake) this.#chosen = other;
        return !this.#isAwake;
      },
      close: () => {
        this.#isOver = true;
        this.#ear?.close();
        this.#asked?.close();
      },
    };
  }

  /** Whether it listens. */
  get isAwake(): boolean {
    return this.#isAwake;
  }

  /** The caller speaks: what they say from here on belongs to one turn. */
  begin(): void {
    this.#isTurn = true;
  }

  /** What the caller has said is answered, or does not count. */
  answered(): void {
    this.#isTurn = false;
    if (!this.#isAwake) this.#keep(LEAD_MS);
  }

  /**
   * Listens from now on.
   * @param hears what of the caller's last turn it hears: all of it, or only what follows
   * @param words gets the first final words, in place of whom they are told to otherwise
   */
  wake(hears: 'turn' | 'rest', words?: (text: string) => void): void {
    if (this.#isAwake || this.#isOver || !this.#listener) return;
    this.#isAwake = true;
    if (hears === 'rest') this.#keep(0);
    this.#words = words;
    this.#ear = this.#chosen.create(this.#sampleRate, this.#diverted(this.#listener));
    for (const piece of this.#pieces.splice(0)) this.#ear.write(piece);
  }

  /**
   * Understands what the caller has said in this turn, and goes on waiting.
   * @param words gets the first final words
   * @returns ends it
   */
  hearTurn(words: (text: string) => void): () => void {
    const stop = () => {
      this.#asked?.close();
      this.#asked = undefined;
    };
    stop();
    if (this.#isAwake || this.#isOver) return stop;
    const final = (text: string) => {
      if (text === '' || this.#asked !== ear) return;
      stop();
      words(text);
    };
    const used: EarListener['used'] = (...use) => this.#listener?.used?.(...use);
    const listener = { interim() {}, final, endOfTurn() {}, troubled() {}, used };
    const ear: Ear = this.#chosen.create(this.#sampleRate, listener);
    this.#asked = ear;
    for (const piece of this.#pieces) ear.write(piece);
    return stop;
  }

  /** All words are told to whom they are told otherwise, from now on. */
  tellAll(): void {
    this.#words = undefined;
  }

  /** What seems to be said before the words that are waited for is not told. */
  #diverted(listener: EarListener): EarListener {
    return {
      ...listener,
      interim: (text) => {
        if (!this.#words) listener.interim(text);
      },
      final: (text, ...of) => {
        const words = this.#words;
        if (!words) return listener.final(text, ...of);
        if (text === '') return;
        this.#words = undefined;
        words(text);
      },
    };
  }

  #write(pcm: Int16Array): void {
    if (this.#ear) {
      this.#ear.write(pcm);
      return;
    }
    this.#asked?.write(pcm);
    this.#pieces.push(pcm);
    this.#keptMs += this.#msOf(pcm);
    this.#keep(this.#isTurn ? MOST_MS : LEAD_MS);
  }

  #keep(ms: number): void {
    let surplus = 0;
    while (surplus < this.#pieces.length && this.#keptMs > ms) {
      this.#keptMs -= this.#msOf(this.#pieces[surplus] as Int16Array);
      surplus += 1;
    }
    this.#pieces.splice(0, surplus);
  }

  #msOf({ length }: Int16Array): number {
    return (length * 1_000) / this.#sampleRate;
  }
}

/** Speech to text with ears that wait: it does not miss the words of a voice that it does not hear. */
export class StandbyStt extends SttService {
  constructor(private readonly ears: StandbyEars) {
    super(ears);
  }

  override process(frame: Frame, direction: FrameDirection): void {
    const isOfVoice = frame instanceof UserStartedSpeakingFrame || frame instanceof UserStoppedSpeakingFrame;
    if (isOfVoice && !this.ears.isAwake) this.push(frame, direction);
    else super.process(frame, direction);
  }
}
