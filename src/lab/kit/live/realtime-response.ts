import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeLiveReply } from './fake-live-reply.js';
import { CHUNK_MS, type FakeFields } from './fake-live-session.js';
import { itemOnWire, type RealtimeItem } from './realtime-memory.js';
import { toldWords } from './told-words.js';

/** Why a response ended before its end. */
export type RealtimeStop = 'client_cancelled' | 'turn_detected';

/** What a response needs of its session. */
export interface RealtimeStage {
  /** Sends an event. */
  readonly tell: (type: string, fields: FakeFields) => void;
  readonly newId: (prefix: string) => string;
  /** Puts an item into the conversation. @returns id of the one before it */
  readonly remember: (item: RealtimeItem) => string | null;
  /** The audio of a text, in messages. */
  readonly speak: (text: string) => Buffer[];
  /** Length of so much audio, in milliseconds. */
  readonly msOf: (bytes: number) => number;
  readonly drop: () => void;
  /** Fields of the response that do not change. */
  readonly fields: FakeFields;
  readonly isText: boolean;
  readonly delayMs: number;
  readonly betweenChunksMs: number;
}

/** One turn of the model on OpenAI's realtime wire. */
export class RealtimeResponse {
  readonly id: string;
  readonly #abort = new AbortController();
  readonly #output: FakeFields[] = [];
  #stop: RealtimeStop | undefined;
  #isOver = false;

  constructor(
    private readonly stage: RealtimeStage,
    private readonly reply: FakeLiveReply,
  ) {
    this.id = stage.newId('resp');
  }

  /** Plays it to its end. Never rejects. */
  async play(): Promise<void> {
    const { stage, reply } = this;
    stage.tell('response.created', { response: this.#fields('in_progress', null) });
    await this.#pause(reply.delayMs ?? stage.delayMs);
    if (reply.text && !this.#stop) await this.#say(reply.text);
    if (this.#isOver || reply.hang) return;
    if (!this.#stop && !reply.error) for (const call of reply.toolCalls ?? []) this.#call(call);
    this.#finish();
  }

  /** Ends it before its end. */
  cancel(reason: RealtimeStop): void {
    if (this.#stop || this.#isOver) return;
    this.#stop = reason;
    this.#abort.abort();
    if (this.reply.hang) this.#finish();
  }

  /** Ends it without a word: the connection is gone. */
  end(): void {
    this.#isOver = true;
    this.#abort.abort();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#abort.signal }).catch(() => {});
    else await new Promise((resolve) => setImmediate(resolve));
  }

  async #say(text: string): Promise<void> {
    const { stage, reply } = this;
    const chunks = stage.isText ? [] : stage.speak(text);
    const totalMs = stage.msOf(chunks.reduce((sum, { length }) => sum + length, 0));
    const wire = { type: 'message', role: 'assistant' };
    const item: RealtimeItem = { id: stage.newId('item'), wire, audioMs: 0, totalMs, text, isTruncated: false };
    const index = this.#output.length;
    const at = { response_id: this.id, item_id: item.id, output_index: index, content_index: 0 };
    const tell = (type: string, fields: FakeFields) => stage.tell(`response.${type}`, { ...at, ...fields });
    const [type, transcript] = stage.isText ? ['text', 'text'] : ['audio', 'transcript'];
    const started = { ...itemOnWire(item, 'in_progress'), content: [] };
    stage.tell('response.output_item.added', { response_id: this.id, output_index: index, item: started });
    stage.tell('conversation.item.added', { previous_item_id: stage.remember(item), item: started });
    tell('content_part.added', { part: { type, [transcript]: '' } });
    const said = stage.isText ? text : await this.#sendAudio(item, chunks, tell);
    if (this.#isOver) return;
    if (stage.isText) tell('output_text.delta', { delta: text });
    if (reply.hang && !this.#stop) return;
    if (stage.isText) tell('output_text.done', { text });
    else {
      tell('output_audio.done', {});
      tell('output_audio_transcript.done', { transcript: said });
    }
    tell('content_part.done', { part: { type, [transcript]: said } });
    this.#done(item, { content: [{ type: `output_${type}`, [transcript]: said }] });
  }

  /** @returns what the transcripts said so far */
  async #sendAudio(
    item: RealtimeItem,
    chunks: readonly Buffer[],
    tell: (type: string, fields: FakeFields) => void,
  ): Promise<string> {
    const { stage, reply } = this;
    const words = toldWords(item.text);
    let said = '';
    for (const [index, chunk] of chunks.entries()) {
      if (index > 0) await this.#pause(stage.betweenChunksMs);
      if (this.#stop || this.#isOver) break;
      // A word is told with the audio that it begins in.
      while (words[0] && (words[0].index * item.totalMs) / item.text.length <= index * CHUNK_MS) {
        const [delta] = words.shift() as RegExpExecArray;
        said += delta;
        tell('output_audio_transcript.delta', { delta });
      }
      tell('output_audio.delta', { delta: chunk.toString('base64') });
      if (!item.isTruncated) item.audioMs += stage.msOf(chunk.length);
      if (reply.dropAfterMs !== undefined && (index + 1) * CHUNK_MS >= reply.dropAfterMs) {
        this.end();
        stage.drop();
        return said;
      }
    }
    if (this.#stop || this.#isOver) return said;
    for (const [delta] of words) tell('output_audio_transcript.delta', { delta });
    return item.text;
  }

  #call({ name, input }: { readonly name: string; readonly input: unknown }): void {
    const { stage } = this;
    const json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    const callId = stage.newId('call');
    const wire = { type: 'function_call', call_id: callId, name, arguments: '' };
    const item: RealtimeItem = {
      id: stage.newId('item'),
      wire,
      audioMs: 0,
      totalMs: 0,
      text: json,
      isTruncated: false,
    };
    const index = this.#output.length;
    const at = { response_id: this.id, item_id: item.id, output_index: index, call_id: callId };
    const started = itemOnWire(item, 'in_progress');
    stage.tell('response.output_item.added', { response_id: this.id, output_index: index, item: started });
    stage.tell('conversation.item.added', { previous_item_id: stage.remember(item), item: started });
    const half = json.length >> 1;
    for (const delta of [json.slice(0, half), json.slice(half)]) {
      stage.tell('response.function_call_arguments.delta', { ...at, delta });
    }
    stage.tell('response.function_call_arguments.done', { ...at, name, arguments: json });
    this.#done(item, { arguments: json });
  }

  /** An item of the output is complete. */
  #done(item: RealtimeItem, fields: FakeFields): void {
    const { stage } = this;
    const done = { ...itemOnWire(item, this.#stop ? 'incomplete' : 'completed'), ...fields };
    if (item.wire.type === 'function_call') item.wire = { ...item.wire, ...fields };
    stage.tell('conversation.item.done', { previous_item_id: null, item: done });
    const output_index = this.#output.push(done) - 1;
    stage.tell('response.output_item.done', { response_id: this.id, output_index, item: done });
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { error } = this.reply;
    const status = this.#stop ? 'cancelled' : error ? 'failed' : 'completed';
    const details = this.#stop
      ? { type: 'cancelled', reason: this.#stop }
      : error
        ? { type: 'failed', error: { type: error.code, ...error } }
        : null;
    this.stage.tell('response.done', { response: { ...this.#fields(status, details), usage: USAGE } });
    const limit = { name: 'tokens', limit: 40_000, remaining: 39_000, reset_seconds: 1.5 };
    this.stage.tell('rate_limits.updated', { rate_limits: [limit] });
  }

  #fields(status: string, details: FakeFields | null): FakeFields {
    const fields = { object: 'realtime.response', id: this.id, status, status_details: details };
    return { ...this.stage.fields, ...fields, output: [...this.#output], usage: null };
  }
}

const USAGE = {
  total_tokens: 300,
  input_tokens: 200,
  output_tokens: 100,
  input_token_details: {
    text_tokens: 120,
    audio_tokens: 80,
    image_tokens: 0,
    cached_tokens: 0,
    cached_tokens_details: { text_tokens: 0, audio_tokens: 0, image_tokens: 0 },
  },
  output_token_details: { text_tokens: 20, audio_tokens: 80 },
};
