import type { WebSocket } from 'ws';
import { EarSession, type EarSessionOptions } from './ear-session.js';
import type { FakeRequest } from './fake-request.js';
import { fakeWords } from './fake-speech.js';
import type { Understood } from './speech-ear.js';

/** Less audio than this is not committed, in milliseconds. */
const LEAST_COMMIT_MS = 300;
/** Without a message for so long the real one closes, with 1000 and no error before it. */
const IDLE_LIMIT_MS = 15_000;

/** One connection of a client to `/v1/speech-to-text/realtime`: what it sent, and what is said to it. */
export class ScribeSession extends EarSession {
  /** Texts of speech that ended and is not committed yet, in manual mode. */
  #ended: string[] = [];
  #partial = '';
  #startMs: number | undefined;
  #committedMs = 0;
  #hasAudio = false;
  #isDone = false;

  /** @internal */
  constructor(socket: WebSocket, request: FakeRequest, options: EarSessionOptions) {
    const { query } = request;
    const [kind, rate] = (query.get('audio_format') ?? 'pcm_16000').split('_');
    super(socket, request, options, {
      encoding: kind === 'ulaw' ? 'PCMU' : 'L16',
      sampleRate: Number(rate),
      silenceMs: Number(query.get('vad_silence_threshold_secs') ?? 1.5) * 1_000,
      idleLimitMs: IDLE_LIMIT_MS,
    });
    this.send({ message_type: 'session_started', session_id: 'fake', config: configOf(query) });
  }

  override get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether the client says where an utterance ends, with `commit`. */
  get isManual(): boolean {
    return this.query.get('commit_strategy') !== 'vad';
  }

  /** Tells words that will not change any more. */
  say(text: string): void {
    this.#commit(text, this.#committedMs, this.audioMs);
  }

  /** Tells words that may still change. */
  interim(text: string): void {
    this.#partial = text;
    this.send({ message_type: 'partial_transcript', text });
  }

  /** Reports an error and closes, as the service does. @param type such as `quota_exceeded`, `rate_limited` */
  error(error: string, type = 'transcriber_error'): void {
    this.send({ message_type: type, error });
    this.close(1000, type);
  }

  protected override tell({ is, text, startMs, endMs }: Understood): void {
    this.#startMs ??= startMs;
    const said = [...this.#ended, text].join(' ');
    if (said !== this.#partial && (is === 'words' || this.isManual)) this.interim(said);
    if (is !== 'end') return;
    if (this.isManual) this.#ended.push(text);
    else this.#commit(text, startMs, endMs);
  }

  protected override receive(data: Buffer, isBinary: boolean): void {
    const fields = isBinary ? undefined : fieldsOf(data);
    if (fields?.message_type !== 'input_audio_chunk' || typeof fields.audio_base_64 !== 'string') {
      this.error('Message must be a valid protocol message', 'input_error');
      return;
    }
    if (this.#hasAudio && fields.previous_text !== undefined) {
      this.error('previous_text may be sent with the first audio chunk only', 'input_error');
      return;
    }
    const audio = Buffer.from(fields.audio_base_64, 'base64');
    this.#hasAudio = true;
    this.#isDone = false;
    if (audio.length > 0) this.hear(audio);
    if (fields.commit === true) this.#commitAll();
  }

  protected override idle(): void {
    this.close(1000);
  }

  /** The client wants what it has said so far. */
  #commitAll(): void {
    this.messages.push('commit');
    this.#isDone = true;
    const waitingMs = this.audioMs - this.#committedMs;
    if (waitingMs < LEAST_COMMIT_MS) {
      const words = `Commit request ignored: only ${(waitingMs / 1_000).toFixed(2)}s of uncommitted audio.`;
      this.error(`${words} You need at least 0.3s of uncommitted audio before committing.`, 'commit_throttled');
      return;
    }
    const isSpeech = this.endSpeech();
    const untilMs = this.audioMs;
    this.later(() => {
      if (isSpeech && !this.isManual) return; // it is committed
      this.#commit(this.#ended.join(' '), this.#startMs ?? this.#committedMs, untilMs);
    });
  }

  #commit(text: string, startMs: number, endMs: number): void {
    this.#ended = [];
    this.#partial = '';
    this.#startMs = undefined;
    this.#committedMs = this.audioMs;
    this.send({ message_type: 'committed_transcript', text });
    if (this.query.get('include_timestamps') !== 'true') return;
    const words = fakeWords(text, endMs - startMs).flatMap((word, index) => {
      const place = { start: (startMs + word.startMs) / 1_000, end: (startMs + word.endMs) / 1_000 };
      const spacing = { text: ' ', type: 'spacing', start: place.start, end: place.start, logprob: 0 };
      return [...(index > 0 ? [spacing] : []), { text: word.text, type: 'word', ...place, logprob: 0 }];
    });
    const hasLanguage = this.query.get('include_language_detection') === 'true';
    const language_code = hasLanguage ? (this.query.get('language_code') ?? 'en') : null;
    this.send({ message_type: 'committed_transcript_with_timestamps', text, language_code, words });
  }
}

function fieldsOf(data: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const fields: unknown = JSON.parse(String(data));
    return typeof fields === 'object' && fields !== null ? { ...fields } : undefined;
  } catch {
    return undefined;
  }
}

function configOf(query: URLSearchParams): object {
  const format = query.get('audio_format') ?? 'pcm_16000';
  const isTrue = (name: string) => query.get(name) === 'true';
  return {
    sample_rate: Number(format.split('_')[1]),
    audio_format: format,
    language_code: query.get('language_code'),
    timestamps_granularity: 'word',
    vad_commit_strategy: query.get('commit_strategy') === 'vad',
    vad_silence_threshold_secs: Number(query.get('vad_silence_threshold_secs') ?? 1.5),
    vad_threshold: Number(query.get('vad_threshold') ?? 0.4),
    min_speech_duration_ms: Number(query.get('min_speech_duration_ms') ?? 100),
    min_silence_duration_ms: Number(query.get('min_silence_duration_ms') ?? 100),
    model_id: query.get('model_id'),
    disable_logging: query.get('enable_logging') === 'false',
    include_timestamps: isTrue('include_timestamps'),
    include_language_detection: isTrue('include_language_detection'),
  };
}
