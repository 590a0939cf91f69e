import type { WebSocket } from 'ws';
import { type EarFormat, EarSession, type EarSessionOptions } from './ear-session.js';
import type { FakeRequest } from './fake-request.js';
import { parametersOf } from './flux-parameters.js';
import type { Understood } from './speech-ear.js';

/** Less audio than this is not committed, in milliseconds. */
const LEAST_COMMIT_MS = 100;
const FORMAT: EarFormat = {
  encoding: 'L16',
  sampleRate: 24_000,
  silenceMs: 500,
  idleLimitMs: Number.POSITIVE_INFINITY,
};

type SessionFields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): SessionFields => (typeof value === 'object' && value !== null ? { ...value } : {});

/** One connection of a client to `/v1/realtime?intent=transcription`: what it sent, and what is said to it. */
export class OpenAITranscriptionSession extends EarSession {
  /** What the client asked for, with the defaults. @internal */
  session: SessionFields;
  #item = 0;
  #event = 0;
  /** What was told of the item that is going on. */
  #told = '';
  #texts: string[] = [];
  #committedMs = 0;

  /** @internal */
  constructor(socket: WebSocket, request: FakeRequest, options: EarSessionOptions) {
    super(socket, request, options, FORMAT);
    this.session = sessionOf({});
    this.#answer('session.created', { session: this.session });
  }

  override get isDone(): boolean {
    return false;
  }

  /** Tells words that will not change any more, as an item of its own. */
  say(text: string): void {
    this.#complete(text);
  }

  /** Reports an error; the connection stays. */
  error(message: string, code: string | null = null): void {
    this.#answer('error', { error: { type: 'invalid_request_error', code, message, param: null, event_id: null } });
  }

  protected override tell({ is, text }: Understood): void {
    const said = [...this.#texts, text].join(' ');
    if (is === 'words') this.#delta(said);
    if (is !== 'end') return;
    this.#texts.push(text);
    if (this.#detectsTurns) this.#commit();
  }

  protected override receive(data: Buffer): void {
    const fields = parametersOf(data);
    const type = String(fields.type);
    if (type !== 'input_audio_buffer.append') this.messages.push(type);
    if (type === 'session.update') this.#update(fieldsOf(fields.session));
    else if (type === 'input_audio_buffer.append') this.#append(fields.audio);
    else if (type === 'input_audio_buffer.commit') this.#commitAll();
    else if (type === 'input_audio_buffer.clear') this.#answer('input_audio_buffer.cleared', {});
    else this.error(`Invalid value: '${type}'.`, 'invalid_value');
  }

  protected override idle(): void {}

  get #detectsTurns(): boolean {
    return fieldsOf(fieldsOf(this.session.audio).input).turn_detection !== null;
  }

  #update(session: SessionFields): void {
    const input = fieldsOf(fieldsOf(session.audio).input);
    const problem = problemOf(session, input);
    if (problem) {
      this.error(problem, 'invalid_value');
      return;
    }
    const { type } = fieldsOf(input.format);
    const { silence_duration_ms: silenceMs = FORMAT.silenceMs } = fieldsOf(input.turn_detection);
    const isTelephone = type === 'audio/pcmu';
    const telephone = { encoding: 'PCMU', sampleRate: 8_000 } as const;
    this.session = sessionOf(session);
    this.listenIn({ ...FORMAT, ...(isTelephone && telephone), silenceMs: Number(silenceMs) });
    this.#answer('session.updated', { session: this.session });
  }

  #append(audio: unknown): void {
    if (typeof audio === 'string') this.hear(Buffer.from(audio, 'base64'));
    else this.error("Missing required parameter: 'audio'.", 'missing_required_parameter');
  }

  #commitAll(): void {
    const waitingMs = this.audioMs - this.#committedMs;
    if (waitingMs < LEAST_COMMIT_MS) {
      const words = `buffer only has ${waitingMs.toFixed(2)}ms of audio.`;
      this.error(
        `Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but ${words}`,
        'input_audio_buffer_commit_empty',
      );
      return;
    }
    const isSpeech = this.endSpeech();
    this.later(() => {
      if (!isSpeech || !this.#detectsTurns) this.#commit();
    });
  }

  #commit(): void {
    this.#committedMs = this.audioMs;
    this.#answer('input_audio_buffer.committed', { item_id: this.#id, previous_item_id: null });
    this.#complete(this.#texts.join(' '));
  }

  #delta(text: string): void {
    const delta = text.slice(this.#told.length);
    this.#told = text;
    const place = { item_id: this.#id, content_index: 0 };
    if (delta) this.#answer('conversation.item.input_audio_transcription.delta', { ...place, delta });
  }

  #complete(transcript: string): void {
    this.#delta(transcript);
    const place = { item_id: this.#id, content_index: 0 };
    const usage = { type: 'duration', seconds: Math.ceil(this.audioMs / 1_000) };
    this.#answer('conversation.item.input_audio_transcription.completed', { ...place, transcript, usage });
    this.#item += 1;
    this.#told = '';
    this.#texts = [];
  }

  get #id(): string {
    return `item_${this.#item}`;
  }

  #answer(type: string, fields: object): void {
    this.#event += 1;
    this.send({ type, event_id: `event_${this.#event}`, ...fields });
  }
}

function problemOf({ type }: SessionFields, input: SessionFields): string | undefined {
  const format = fieldsOf(input.format);
  if (type !== 'transcription') return `Invalid value: '${type}'. Supported values are: 'transcription'.`;
  if (typeof fieldsOf(input.transcription).model !== 'string') {
    return "Missing required parameter: 'session.audio.input.transcription.model'.";
  }
  if (format.type !== 'audio/pcm' || format.rate === undefined || format.rate === FORMAT.sampleRate) return undefined;
  return `Invalid 'session.audio.input.format.rate': expected 24000, got ${format.rate}.`;
}

function sessionOf({ audio, ...fields }: SessionFields): SessionFields {
  const input = fieldsOf(fieldsOf(audio).input);
  const turn_detection = { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500 };
  const format = { type: 'audio/pcm', rate: FORMAT.sampleRate };
  return {
    object: 'realtime.transcription_session',
    id: 'sess_fake',
    type: 'transcription',
    ...fields,
    audio: { input: { format, turn_detection, noise_reduction: null, ...input } },
  };
}
