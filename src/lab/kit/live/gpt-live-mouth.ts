import type { FakeLiveReply } from './fake-live-reply.js';
import { CHUNK_MS, type FakeFields } from './fake-live-session.js';
import type { RealtimeError } from './realtime-shapes.js';
import { toldWords } from './told-words.js';

/** What a mouth needs of its session. */
export interface MouthStage {
  /** The audio of a text, in messages. */
  readonly speak: (text: string) => Buffer[];
  readonly silence: () => Buffer;
  readonly tell: (type: string, fields: FakeFields) => void;
  readonly audio: (delta: Buffer) => void;
  readonly drop: () => void;
  /** Something was said: what of it, and how long it was. */
  readonly said: (text: string, audioMs: number, isTruncated: boolean) => void;
  readonly delegate: () => void;
  readonly fail: (error: RealtimeError) => void;
}

interface Saying {
  readonly reply: FakeLiveReply;
  readonly text: string;
  readonly chunks: readonly Buffer[];
  at: number;
  words: RegExpExecArray[];
}

/** Says one text after the other, a message of audio at a time, and silence between them. */
export class GptLiveMouth {
  readonly #waiting: FakeLiveReply[] = [];
  #saying: Saying | undefined;
  #isHanging = false;

  constructor(private readonly stage: MouthStage) {}

  get isSpeaking(): boolean {
    return this.#saying !== undefined;
  }

  /** Says it as soon as it has said all else. */
  say(reply: FakeLiveReply): void {
    this.#waiting.push(reply);
  }

  /** Falls silent at once: the caller speaks. */
  stop(): void {
    this.#waiting.length = 0;
    const saying = this.#saying;
    this.#saying = undefined;
    if (!saying || saying.at === 0) return;
    const heard = saying.text.slice(0, Math.floor((saying.at * saying.text.length) / saying.chunks.length));
    this.stage.said(heard, saying.at * CHUNK_MS, true);
  }

  /** Sends the next message of audio. @param atMs where it begins, by the session's clock */
  play(atMs: number): void {
    if (this.#isHanging) return;
    this.#saying ??= this.#next();
    const saying = this.#saying;
    if (!saying) {
      this.stage.audio(this.stage.silence());
      return;
    }
    const { text, chunks, reply } = saying;
    const totalMs = chunks.length * CHUNK_MS;
    const timeOf = (index: number) => Math.round(atMs - saying.at * CHUNK_MS + (index * totalMs) / text.length);
    while (saying.words[0] && (saying.words[0].index * totalMs) / text.length <= saying.at * CHUNK_MS) {
      const { 0: delta, index } = saying.words.shift() as RegExpExecArray;
      const times = { start_ms: timeOf(index), end_ms: timeOf(index + delta.length) };
      this.stage.tell('session.output_transcript.delta', { delta, ...times });
    }
    this.stage.audio(padded(chunks[saying.at] as Buffer, this.stage.silence()));
    saying.at += 1;
    if (reply.dropAfterMs !== undefined && saying.at * CHUNK_MS >= reply.dropAfterMs) {
      this.stage.drop();
      return;
    }
    if (saying.at < chunks.length) return;
    this.#saying = undefined;
    this.stage.said(text, totalMs, false);
    this.#after(reply);
  }

  #next(): Saying | undefined {
    const reply = this.#waiting.shift();
    if (!reply) return undefined;
    const { text = '' } = reply;
    const chunks = this.stage.speak(text);
    if (chunks.length > 0) return { reply, text, chunks, at: 0, words: toldWords(text) };
    this.#after(reply);
    return undefined;
  }

  #after({ delegates, hang, error }: FakeLiveReply): void {
    if (error) this.stage.fail({ ...error, type: error.code });
    else if (hang) this.#isHanging = true;
    else if (delegates) this.stage.delegate();
  }
}

/** The last message of a text is as long as all others. */
function padded(chunk: Buffer, silence: Buffer): Buffer {
  return chunk.length === silence.length ? chunk : Buffer.concat([chunk, silence.subarray(chunk.length)]);
}
