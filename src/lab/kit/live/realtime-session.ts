import type { WebSocket } from 'ws';
import { faultOf } from './check-fields.js';
import type { FakeLiveItem } from './fake-live-reply.js';
import {
  bytesPerMsOf,
  type FakeFields,
  type FakeLiveFormat,
  FakeLiveSession,
  type FakeLiveSetting,
} from './fake-live-session.js';
import { FakeTurns } from './fake-turns.js';
import {
  defaultConfig,
  type FormatCheck,
  mergeConfig,
  type RealtimeConfig,
  realtimeFormatError,
} from './realtime-config.js';
import { itemOfClient } from './realtime-item.js';
import { itemOnWire, type RealtimeItem, RealtimeMemory } from './realtime-memory.js';
import { RealtimeResponse, type RealtimeStop } from './realtime-response.js';
import { REALTIME_EVENTS, type RealtimeError, realtimeError } from './realtime-shapes.js';
import { toldWords } from './told-words.js';

const LONGEST_MS = 60 * 60_000;
/** Less audio than this is not committed, in milliseconds. */
const SHORTEST_COMMIT_MS = 100;

/** One session on OpenAI's realtime wire. */
export class RealtimeSession extends FakeLiveSession {
  readonly id: string;
  /** @internal */
  protected config: RealtimeConfig;
  readonly #memory = new RealtimeMemory();
  #turns: FakeTurns;
  #response: RealtimeResponse | undefined;
  readonly #beside = new Set<RealtimeResponse>();
  #ids = 0;
  /** Id of the item that the caller's speech becomes. */
  #nextItem: string | undefined;
  /** Audio that is not committed, in milliseconds, and whether speech is in it. */
  #pendingMs = 0;
  #isSpeechPending = false;

  constructor(
    socket: WebSocket,
    setting: FakeLiveSetting,
    private readonly number: number,
  ) {
    super(socket, setting);
    this.id = this.#newId('sess');
    this.config = defaultConfig(setting.request.query.get('model') ?? '');
    this.#turns = this.#listen();
  }

  override get items(): readonly FakeLiveItem[] {
    return this.#memory.items;
  }

  /** What the client has configured, complete. @internal */
  get settings(): RealtimeConfig {
    return this.config;
  }

  /** Whether the model is in a turn. */
  get isResponding(): boolean {
    return this.#response?.isOver === false;
  }

  protected override get inputFormat(): FakeLiveFormat {
    return formatOf(this.config.audio.input.format);
  }

  override open(): void {
    this.tell('session.created', { session: this.#wireConfig() });
    this.limitTo(LONGEST_MS);
  }

  override expire(): void {
    const minutes = Math.round((this.options.sessionLimitMs ?? LONGEST_MS) / 60_000);
    const message = `Your session hit the maximum duration of ${minutes} minutes.`;
    this.fail({ code: 'session_expired', message });
    this.close(1001, message);
  }

  /** Sends an event, with an id of its own. @internal */
  tell(type: string, fields: FakeFields): void {
    this.send({ type, event_id: this.#newId('event'), ...fields });
  }

  /** Sends an `error`. @param cause id of the client's event @internal */
  fail({ type = 'invalid_request_error', code, message, param }: RealtimeError, cause?: unknown): void {
    this.tell('error', { error: { type, code, message, param: param ?? null, event_id: cause ?? null } });
  }

  protected override receiveNonsense(): void {
    this.fail({ code: 'invalid_json', message: 'The event is not a JSON object.' });
  }

  protected override receive(fields: FakeFields): void {
    const error = this.errorOf(fields) ?? this.obey(fields);
    if (error) this.fail(error, fields.event_id);
  }

  protected override end(): void {
    this.#response?.end();
    for (const response of this.#beside) response.end();
  }

  /** What the provider finds wrong with a format. @internal */
  protected readonly formatError: FormatCheck = realtimeFormatError;

  /** What the provider finds wrong with an event by its fields alone. @internal */
  protected errorOf(fields: FakeFields): RealtimeError | undefined {
    if (fields.type === undefined) {
      return realtimeError({ reason: 'missing', path: 'type', found: undefined, wanted: [] });
    }
    const shapes = REALTIME_EVENTS[String(fields.type)];
    if (!shapes) {
      const wanted = Object.keys(REALTIME_EVENTS);
      return realtimeError({ reason: 'value', path: 'type', found: fields.type, wanted });
    }
    const fault = faultOf(fields, shapes);
    return fault && realtimeError(fault);
  }

  /** Does what an event asks for. @internal */
  protected obey(fields: FakeFields): RealtimeError | undefined {
    switch (fields.type) {
      case 'session.update':
        return this.#configure(fields.session as FakeFields);
      case 'input_audio_buffer.append':
        return this.#append(fields.audio as string);
      case 'input_audio_buffer.commit':
        return this.#commitOfClient();
      case 'input_audio_buffer.clear':
        this.#pendingMs = 0;
        this.#isSpeechPending = false;
        return void this.tell('input_audio_buffer.cleared', {});
      case 'conversation.item.create':
        return this.#create(fields.item as FakeFields, fields.previous_item_id as string | null | undefined);
      case 'conversation.item.truncate':
        return this.#truncate(fields);
      case 'conversation.item.delete':
        return this.#delete(fields.item_id as string);
      case 'conversation.item.retrieve':
        return this.#retrieve(fields.item_id as string);
      case 'response.create':
        return this.#respond((fields.response ?? {}) as FakeFields);
      default:
        return this.#cancel(fields.response_id as string | undefined);
    }
  }

  #configure(update: FakeFields): RealtimeError | undefined {
    const merged = mergeConfig(this.config, update, {
      hasSpoken: this.#memory.hasSpoken,
      formatError: this.formatError,
    });
    if ('error' in merged) return merged.error;
    const wasListening = JSON.stringify(this.config.audio.input);
    this.config = merged.config;
    if (JSON.stringify(this.config.audio.input) !== wasListening) this.#turns = this.#listen();
    this.tell('session.updated', { session: this.#wireConfig() });
    return undefined;
  }

  #append(audio: string): RealtimeError | undefined {
    const pcm = this.take(audio);
    if (!pcm) {
      const message = "Invalid 'audio'. Expected base64-encoded audio bytes, but got an invalid value.";
      return { code: 'invalid_value', message, param: 'audio' };
    }
    this.#pendingMs += pcm.length / (this.inputFormat.rate / 1_000);
    const detection = this.config.audio.input.turn_detection;
    for (const { type, atMs } of this.#turns.hear(pcm)) {
      if (type === 'started') {
        this.#isSpeechPending = true;
        if (!detection) continue;
        this.#nextItem = this.#newId('item');
        const padding = detection.prefix_padding_ms ?? 300;
        const audio_start_ms = Math.max(0, Math.round(atMs - padding));
        this.tell('input_audio_buffer.speech_started', { audio_start_ms, item_id: this.#nextItem });
        if (detection.interrupt_response !== false) this.#response?.cancel('turn_detected');
      } else if (detection) {
        this.#nextItem ??= this.#newId('item');
        this.tell('input_audio_buffer.speech_stopped', { audio_end_ms: Math.round(atMs), item_id: this.#nextItem });
        this.#commit();
        if (detection.create_response !== false) this.#respond({});
      }
    }
    return undefined;
  }

  #commitOfClient(): RealtimeError | undefined {
    if (this.#pendingMs >= SHORTEST_COMMIT_MS) return void this.#commit();
    const message =
      'Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has ' +
      `${this.#pendingMs.toFixed(2)}ms of audio.`;
    return { code: 'input_audio_buffer_commit_empty', message };
  }

  /** The audio so far becomes an item of the caller's. */
  #commit(): void {
    const id = this.#nextItem ?? this.#newId('item');
    const text = this.#isSpeechPending ? (this.texts.shift() ?? '') : '';
    const wire = { type: 'message', role: 'user', content: [{ type: 'input_audio', transcript: null }] };
    const item: RealtimeItem = { id, wire, audioMs: this.#pendingMs, totalMs: 0, text, isTruncated: false };
    this.#nextItem = undefined;
    this.#pendingMs = 0;
    this.#isSpeechPending = this.#turns.isSpeaking;
    const previous = this.#memory.lastId;
    this.tell('input_audio_buffer.committed', { previous_item_id: previous, item_id: id });
    this.#remember(item);
    this.tell('conversation.item.added', { previous_item_id: previous, item: itemOnWire(item) });
    this.tell('conversation.item.done', { previous_item_id: previous, item: itemOnWire(item) });
    if (this.config.audio.input.transcription) this.#transcribe(item);
  }

  #transcribe({ id, text, audioMs }: RealtimeItem): void {
    const { transcriptDelayMs = 0, interimMs = 0 } = this.options;
    const tell = (type: string, fields: FakeFields) =>
      this.tell(`conversation.item.input_audio_transcription.${type}`, { item_id: id, content_index: 0, ...fields });
    const completed = { transcript: text, usage: { type: 'duration', seconds: Math.ceil(audioMs / 1_000) } };
    const words = toldWords(text).map(([delta]) => ({ delta }));
    for (const [index, word] of words.entries()) {
      this.later(transcriptDelayMs + index * interimMs, () => tell('delta', word));
    }
    this.later(transcriptDelayMs + words.length * interimMs, () => tell('completed', completed));
  }

  #create(fields: FakeFields, after: string | null | undefined): RealtimeError | undefined {
    const made = itemOfClient(fields, this.#memory, () => this.#newId('item'));
    if ('error' in made) return made.error;
    const added = this.#memory.add(made.item, after ?? undefined);
    if (!added) {
      const message = `Error adding item: the previous item with id '${after}' does not exist.`;
      return { code: 'item_create_invalid_previous_item_id', message, param: 'previous_item_id' };
    }
    const told = { previous_item_id: added.previous, item: itemOnWire(made.item) };
    this.tell('conversation.item.added', told);
    this.tell('conversation.item.done', told);
    return undefined;
  }

  #truncate({ item_id, content_index, audio_end_ms }: FakeFields): RealtimeError | undefined {
    const error = this.#memory.truncate(item_id, content_index as number, audio_end_ms as number);
    if (!error) this.tell('conversation.item.truncated', { item_id, content_index, audio_end_ms });
    return error;
  }

  #delete(id: string): RealtimeError | undefined {
    if (this.#memory.delete(id)) return void this.tell('conversation.item.deleted', { item_id: id });
    const message = `Error deleting item: item with item_id '${id}' does not exist.`;
    return { code: 'item_delete_invalid_item_id', message, param: 'item_id' };
  }

  #retrieve(id: string): RealtimeError | undefined {
    const item = this.#memory.find(id);
    if (item) return void this.tell('conversation.item.retrieved', { item: itemOnWire(item) });
    const message = `Error retrieving item: item with item_id '${id}' does not exist.`;
    return { code: 'item_retrieve_invalid_item_id', message, param: 'item_id' };
  }

  #respond(asked: FakeFields): RealtimeError | undefined {
    const isBeside = asked.conversation === 'none';
    if (!isBeside && this.#response && !this.#response.isOver) {
      const message =
        `Conversation already has an active response in progress: ${this.#response.id}. ` +
        'Wait until the response is finished before creating a new one.';
      return { code: 'conversation_already_has_active_response', message };
    }
    const { instructions = this.config.instructions, tools = this.config.tools } = asked;
    const names = (tools as FakeFields[]).map(({ name }) => String(name));
    const items = this.items;
    const reply = this.nextReply({ items, instructions: String(instructions), tools: names });
    const format = formatOf(this.config.audio.output.format);
    const modalities = (asked.output_modalities ?? this.config.output_modalities) as string[];
    const response = new RealtimeResponse(
      {
        tell: (type, fields) => this.tell(type, fields),
        newId: (prefix) => this.#newId(prefix),
        remember: (item) => (isBeside ? null : this.#remember(item)),
        speak: (text) => this.speak(text, format),
        msOf: (bytes) => bytes / bytesPerMsOf(format),
        drop: () => this.dropConnection(),
        fields: {
          conversation_id: isBeside ? null : `conv_${this.id.slice(5)}`,
          output_modalities: modalities,
          max_output_tokens: 'inf',
          audio: { output: { format: this.config.audio.output.format, voice: this.config.audio.output.voice } },
          metadata: asked.metadata ?? null,
        },
        isText: !modalities.includes('audio'),
        delayMs: this.options.delayMs ?? 0,
        betweenChunksMs: this.options.betweenChunksMs ?? 20,
      },
      reply,
    );
    if (isBeside) this.#beside.add(response);
    else this.#response = response;
    void response.play().then(() => this.#beside.delete(response));
    return undefined;
  }

  #cancel(id: string | undefined): RealtimeError | undefined {
    const all = [this.#response, ...this.#beside].filter((response) => response && !response.isOver);
    const wanted = all.find((response) => (id === undefined ? response === this.#response : response?.id === id));
    if (!wanted)
      return { code: 'response_cancel_not_active', message: 'Cancellation failed: no active response found' };
    wanted.cancel('client_cancelled' satisfies RealtimeStop);
    return undefined;
  }

  #remember(item: RealtimeItem): string | null {
    return this.#memory.add(item)?.previous ?? null;
  }

  #listen(): FakeTurns {
    const asked = this.config.audio.input.turn_detection?.silence_duration_ms;
    return new FakeTurns(this.inputFormat.rate, this.options.silenceMs ?? asked ?? 500);
  }

  #wireConfig(): FakeFields {
    return { object: 'realtime.session', id: this.id, ...this.config };
  }

  #newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_fake${this.number}x${this.#ids}`;
  }
}

function formatOf({ type, rate }: { readonly type: FakeLiveFormat['type']; readonly rate?: number }): FakeLiveFormat {
  return { type, rate: rate ?? (type === 'audio/pcm' ? 24_000 : 8_000) };
}
