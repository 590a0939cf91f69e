import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeLiveReply } from './fake-live-reply.js';
import { CHUNK_MS, type FakeFields } from './fake-live-session.js';
import { toldWords } from './told-words.js';

/** What a turn of the model needs of its session. */
export interface GeminiStage {
  readonly tell: (content: FakeFields, beside?: FakeFields) => void;
  /** The audio of a text at 24 kHz, in messages. */
  readonly speak: (text: string) => Buffer[];
  readonly drop: () => void;
  readonly close: (code: number, reason: string) => void;
  readonly call: (calls: NonNullable<FakeLiveReply['toolCalls']>) => void;
  /** Something is being said: the model remembers what is sent of it. @returns tells how much that is, in milliseconds */
  readonly begin: (text: string, totalMs: number) => (audioMs: number) => void;
  readonly isTranscribed: boolean;
  readonly delayMs: number;
  readonly betweenChunksMs: number;
}

const USAGE = {
  promptTokenCount: 200,
  responseTokenCount: 100,
  totalTokenCount: 300,
  promptTokensDetails: [
    { modality: 'AUDIO', tokenCount: 80 },
    { modality: 'TEXT', tokenCount: 120 },
  ],
  responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 100 }],
};

/** One turn of the model on Gemini's live wire. */
export class GeminiTurn {
  readonly #abort = new AbortController();
  #isOver = false;
  #isInterrupted = false;

  constructor(
    private readonly stage: GeminiStage,
    private readonly reply: FakeLiveReply,
  ) {}

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Plays it to its end, and waits until the caller has heard it. Never rejects. */
  async play(): Promise<void> {
    const { stage, reply } = this;
    await this.#pause(reply.delayMs ?? stage.delayMs);
    const startedAt = performance.now();
    const audioMs = reply.text && !this.#isInterrupted ? await this.#say(reply.text) : 0;
    if (this.#isOver) return;
    if (reply.error && !this.#isInterrupted) {
      this.#isOver = true;
      stage.close(1011, reply.error.message);
      return;
    }
    if (reply.hang && !this.#isInterrupted) return;
    if (reply.toolCalls && !this.#isInterrupted) {
      this.#isOver = true;
      stage.call(reply.toolCalls);
      return;
    }
    if (!this.#isInterrupted) {
      stage.tell({ generationComplete: true });
      await this.#pause(audioMs - (performance.now() - startedAt));
    }
    this.#complete();
  }

  /** Ends it before its end: the caller speaks, or has something written. */
  interrupt(): void {
    if (this.#isOver || this.#isInterrupted) return;
    this.#isInterrupted = true;
    this.stage.tell({ interrupted: true });
    this.#abort.abort();
    if (this.reply.hang) this.#complete();
  }

  /** Ends it without a word: the connection is gone. */
  end(): void {
    this.#isOver = true;
    this.#abort.abort();
  }

  #complete(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.stage.tell({ turnComplete: true }, { usageMetadata: USAGE });
  }

  /** @returns length of the audio, in milliseconds */
  async #say(text: string): Promise<number> {
    const { stage, reply } = this;
    const chunks = stage.speak(text);
    const totalMs = chunks.length * CHUNK_MS;
    const words = toldWords(text);
    const remember = stage.begin(text, totalMs);
    let sent = 0;
    for (const chunk of chunks) {
      if (sent > 0) await this.#pause(stage.betweenChunksMs);
      if (this.#isInterrupted || this.#isOver) break;
      const data = chunk.toString('base64');
      stage.tell({ modelTurn: { role: 'model', parts: [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data } }] } });
      sent += 1;
      remember(sent * CHUNK_MS);
      while (stage.isTranscribed && words[0] && (words[0].index * totalMs) / text.length < sent * CHUNK_MS) {
        stage.tell({ outputTranscription: { text: (words.shift() as RegExpExecArray)[0] } });
      }
      if (reply.dropAfterMs !== undefined && sent * CHUNK_MS >= reply.dropAfterMs) {
        this.end();
        stage.drop();
      }
    }
    return totalMs;
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#abort.signal }).catch(() => {});
    else await new Promise((resolve) => setImmediate(resolve));
  }
}
