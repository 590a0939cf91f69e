import type { WebSocket } from 'ws';
import { faultOf } from './check-fields.js';
import type { FakeLiveItem } from './fake-live-reply.js';
import {
  bytesPerMsOf,
  CHUNK_MS,
  type FakeFields,
  type FakeLiveFormat,
  FakeLiveSession,
  type FakeLiveSetting,
} from './fake-live-session.js';
import { FakeTurns } from './fake-turns.js';
import { GptLiveMouth } from './gpt-live-mouth.js';
import { GPT_LIVE_EVENTS, GPT_LIVE_RATES } from './gpt-live-shapes.js';
import { type RealtimeError, realtimeError } from './realtime-shapes.js';
import { toldWords } from './told-words.js';

const LONGEST_MS = 60 * 60_000;
/** Silence that ends a turn of the caller, in milliseconds. */
const SILENCE_MS = 500;
/** Between two reports of what was used, in milliseconds of audio. */
const USAGE_MS = 5_000;

/** What a client has told the model beside the conversation. */
export interface GptLiveContext {
  readonly channel: 'instructions' | 'thinking' | 'commentary';
  readonly content: string;
  readonly delegationId: string | null;
}

/** One session of a model that speaks and listens all the time. */
export class GptLiveSession extends FakeLiveSession {
  readonly id: string;
  /** What the client has appended, in order. */
  readonly context: GptLiveContext[] = [];
  /** Ids of the work that the model has handed over, in order. */
  readonly delegations: string[] = [];
  /** Whether the client has muted its audio. */
  isInputMuted = false;
  /** What the client has configured. */
  settings: FakeFields | undefined;
  #format: FakeLiveFormat = { type: 'audio/pcm', rate: 24_000 };
  #turns = new FakeTurns(24_000, SILENCE_MS);
  readonly #items: FakeLiveItem[] = [];
  readonly #mouth: GptLiveMouth;
  /** Audio that came and that was answered, in milliseconds: the clock of the session. */
  #clockMs = 0;
  #answeredMs = 0;
  #usageMs = 0;
  #speechMs = 0;
  /** When the model answers the caller, by the clock. */
  #answerAtMs = Number.POSITIVE_INFINITY;
  #transcriptAtMs: Array<{ atMs: number; tell: () => void }> = [];
  #ids = 0;

  constructor(
    socket: WebSocket,
    setting: FakeLiveSetting,
    private readonly number: number,
  ) {
    super(socket, setting);
    this.id = this.#newId('sess');
    this.#mouth = new GptLiveMouth({
      speak: (text) => this.speak(text, this.#format),
      silence: () => this.#silence(),
      tell: (type, fields) => this.#tell(type, fields),
      audio: (delta) => this.send({ type: 'session.output_audio.delta', delta: delta.toString('base64') }),
      drop: () => this.dropConnection(),
      said: (text, audioMs, isTruncated) => this.#remember('assistant', text, audioMs, isTruncated),
      delegate: () => this.#delegate(),
      fail: (error) => this.#fail(error),
    });
  }

  override get items(): readonly FakeLiveItem[] {
    return this.#items;
  }

  /** Whether the model is speaking. */
  get isSpeaking(): boolean {
    return this.#mouth.isSpeaking;
  }

  protected override get inputFormat(): FakeLiveFormat {
    return this.#format;
  }

  override open(): void {
    this.limitTo(LONGEST_MS);
  }

  override expire(): void {
    this.#close('expired');
  }

  /** Has the model hand over work, of its own accord. @returns its id */
  delegate(): string {
    this.#delegate();
    return this.delegations.at(-1) as string;
  }

  protected override end(): void {}

  protected override receiveNonsense(): void {
    this.#fail({ code: 'invalid_json', message: 'The event is not a JSON object.' });
  }

  protected override receive(fields: FakeFields): void {
    const error = this.#errorOf(fields) ?? this.#obey(fields);
    if (error) this.#fail(error, fields.event_id);
  }

  #errorOf(fields: FakeFields): RealtimeError | undefined {
    const shapes = GPT_LIVE_EVENTS[String(fields.type)];
    if (!shapes) {
      const wanted = Object.keys(GPT_LIVE_EVENTS);
      return realtimeError({ reason: 'value', path: 'type', found: fields.type, wanted });
    }
    const fault = faultOf(fields, shapes);
    if (fault) return realtimeError(fault);
    if (fields.type === 'session.start') return undefined;
    if (this.settings) return undefined;
    return { code: 'session_not_started', message: 'Send session.start before any other event.' };
  }

  #obey(fields: FakeFields): RealtimeError | undefined {
    const client_event_id = fields.event_id ? { client_event_id: fields.event_id } : {};
    switch (fields.type) {
      case 'session.start':
        return this.#start(fields.session as FakeFields, client_event_id);
      case 'session.close':
        return void this.#close('close_requested', client_event_id);
      case 'session.input_audio.append':
        return this.#hear(fields.audio as string);
      case 'session.input_audio.mute':
      case 'session.input_audio.unmute':
        this.isInputMuted = fields.type.endsWith('.mute');
        return void this.#tell(`${fields.type}d`, client_event_id);
      default:
        return this.#append(fields, client_event_id);
    }
  }

  #start(session: FakeFields, ids: FakeFields): RealtimeError | undefined {
    if (this.settings) return { code: 'session_already_started', message: 'The session has already started.' };
    const { format = this.#format } = (session.audio ?? {}) as { format?: FakeLiveFormat };
    const rates = GPT_LIVE_RATES[format.type] ?? [];
    if (!rates.includes(format.rate)) {
      const path = 'session.audio.format.rate';
      return realtimeError({ reason: 'value', path, found: format.rate, wanted: rates.map(String) });
    }
    this.#format = format;
    this.#turns = new FakeTurns(format.rate, this.options.silenceMs ?? SILENCE_MS);
    for (const { role, content } of (session.input ?? []) as Array<{ role: string; content: [{ text: string }] }>) {
      if (role !== 'developer') this.#remember(role as 'user', content[0].text, 0, false);
    }
    this.settings = session;
    this.#tell('session.started', { session: this.#resource(), ...ids });
    return undefined;
  }

  #hear(audio: string): RealtimeError | undefined {
    const pcm = this.take(audio);
    if (!pcm)
      return { code: 'invalid_value', message: 'The audio is not of the format of the session.', param: 'audio' };
    this.#clockMs += pcm.length / (this.#format.rate / 1_000);
    const heard = this.isInputMuted ? new Int16Array(pcm.length) : pcm;
    for (const { type, atMs } of this.#turns.hear(heard)) {
      if (type === 'started') this.#callerBegins(atMs);
      else this.#callerEnds(atMs);
    }
    while (this.#clockMs - this.#answeredMs >= CHUNK_MS) this.#answer();
    return undefined;
  }

  #callerBegins(atMs: number): void {
    this.#speechMs = atMs;
    this.#answerAtMs = Number.POSITIVE_INFINITY;
    this.#mouth.stop();
  }

  #callerEnds(atMs: number): void {
    const { delayMs = 0, transcriptDelayMs = 0 } = this.options;
    const startMs = this.#speechMs;
    const text = this.texts.shift() ?? '';
    this.#remember('user', text, atMs - startMs, false);
    this.#transcriptAtMs.push({ atMs: atMs + transcriptDelayMs, tell: () => this.#transcribe(text, startMs, atMs) });
    this.#answerAtMs = atMs + delayMs;
  }

  #transcribe(text: string, startMs: number, endMs: number): void {
    const words = toldWords(text);
    const at = (index: number) => Math.round(startMs + ((endMs - startMs) * index) / Math.max(1, text.length));
    for (const { 0: delta, index } of words) {
      const times = { start_ms: at(index), end_ms: at(index + delta.length) };
      this.#tell('session.input_transcript.delta', { delta, ...times });
    }
  }

  /** Sends the model's audio for the next stretch of the client's. */
  #answer(): void {
    const atMs = this.#answeredMs;
    this.#answeredMs += CHUNK_MS;
    const due = this.#transcriptAtMs.filter((transcript) => transcript.atMs <= this.#answeredMs);
    this.#transcriptAtMs = this.#transcriptAtMs.filter((transcript) => !due.includes(transcript));
    for (const { tell } of due) tell();
    if (this.#answeredMs >= this.#answerAtMs) {
      this.#answerAtMs = Number.POSITIVE_INFINITY;
      const instructions = String(this.settings?.instructions ?? '');
      this.#mouth.say(this.nextReply({ items: this.items, instructions, tools: [] }));
    }
    this.#mouth.play(atMs);
    if (this.#answeredMs - this.#usageMs < USAGE_MS) return;
    this.#usageMs = this.#answeredMs;
    this.#tell('session.usage.updated', { usage: this.#usage(), context_window: { usage_ratio: 0.01 } });
  }

  #append({ type, content, delegation_id: delegationId }: FakeFields, ids: FakeFields): RealtimeError | undefined {
    if (delegationId !== null && !this.delegations.includes(String(delegationId))) {
      const message = `There is no delegation with id '${String(delegationId)}'.`;
      return { code: 'invalid_value', message, param: 'delegation_id' };
    }
    const channel = String(type).split('.')[1] as GptLiveContext['channel'];
    this.context.push({ channel, content: String(content), delegationId: delegationId as string | null });
    if (channel === 'commentary') this.#mouth.say({ text: String(content) });
    const atMs = Math.round(this.#answeredMs);
    this.#tell(`session.${channel}.appended`, { start_ms: atMs, end_ms: atMs, ...ids });
    return undefined;
  }

  #delegate(): void {
    const id = this.#newId('delegation');
    this.delegations.push(id);
    const delegation = { id, type: 'delegation', target: 'client' };
    this.#tell('session.delegation.created', { offset_ms: Math.round(this.#answeredMs), delegation });
  }

  #remember(role: 'user' | 'assistant', text: string, audioMs: number, isTruncated: boolean): void {
    this.#items.push({ id: this.#newId('item'), type: 'message', role, text, audioMs, isTruncated });
  }

  #close(reason: string, ids: FakeFields = {}): void {
    this.#tell('session.closed', { session: this.#resource(), usage: this.#usage(), reason, ...ids });
    this.close(1000, reason);
  }

  #usage(): FakeFields {
    return { seconds: this.#answeredMs / 1_000 };
  }

  #resource(): FakeFields {
    return { delegation: { type: 'client' }, ...this.settings, id: this.id, object: 'live.session' };
  }

  #silence(): Buffer {
    const isMulaw = this.#format.type === 'audio/pcmu';
    return Buffer.alloc(CHUNK_MS * bytesPerMsOf(this.#format), isMulaw ? 0xff : 0);
  }

  #tell(type: string, fields: FakeFields): void {
    this.send({ type, event_id: this.#newId('event'), ...fields });
  }

  #fail({ type = 'invalid_request_error', code, message, param }: RealtimeError, cause?: unknown): void {
    const about = { ...(param ? { param } : {}), ...(cause ? { client_event_id: cause } : {}) };
    this.#tell('error', { error: { type, code, message, ...about } });
  }

  #newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_fake${this.number}x${this.#ids}`;
  }
}
