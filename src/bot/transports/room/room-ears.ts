import { randomUUID } from 'node:crypto';
import { ProviderError } from '../../../base/provider-error.js';
import type {
  RoomConnection,
  RoomTranscriptionOptions,
  TranscriptionMessage,
} from '../../../providers/rooms/room-connection.js';
import { TRANSCRIPTION_MODEL } from '../../../providers/rooms/wire-transcription.js';
import type { Ear, EarListener, EarSource } from '../../services/stt/ear.js';

/** Longest wait for the provider to say that it listens, in milliseconds. */
const START_LIMIT_MS = 10_000;
/** A transcription that has listened this long was not part of a series of failures, in milliseconds. */
const STEADY_MS = 10_000;
/** So many in a row that fail are the end of it. */
const MAX_FAILURES = 2;

/**
 * The provider's transcription of one room as the ears of a bot: it hears the room itself, so nothing is written to it. It begins when the
 * bot is in the room, and hears the others only.
 */
export class RoomEars implements EarSource {
  readonly model: string;
  #listener: EarListener | undefined;
  #connection: RoomConnection | undefined;
  /** Names the transcription that is ours: another one of the room means nothing. */
  #instanceId = '';
  #startedAt: number | undefined;
  #failures = 0;
  /** What the latest one has failed with, until another listens. */
  #trouble: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Undefined: everybody but the bot. */
  #heard: readonly string[] | undefined;
  #isOver = false;

  /** @param provider name of the room provider */
  constructor(
    readonly provider: string,
    private readonly options: RoomTranscriptionOptions,
  ) {
    this.model = options.model ?? TRANSCRIPTION_MODEL;
  }

  create(_sampleRate: number, listener: EarListener): Ear {
    this.#listener = listener;
    return { droppedMs: 0, write: () => {}, renew: (words) => this.#failed(words), close: () => this.#close() };
  }

  /** The bot is in the room: from now on what is said there is transcribed. Call it once. */
  follow(connection: RoomConnection): void {
    if (this.#isOver) return;
    this.#connection = connection;
    connection.on('transcription_started', ({ instanceId }) => {
      if (this.#isOurs(instanceId)) this.#started();
    });
    connection.on('transcription_message', (message) => this.#hear(message));
    connection.on('transcription_stopped', ({ instanceId }) => {
      if (this.#isOurs(instanceId)) this.#failed('it has stopped');
    });
    connection.on('transcription_error', ({ instanceId, errorMsg }) => {
      if (this.#isOurs(instanceId)) this.#failed(errorMsg || 'an error without words');
    });
    connection.on('participant_joined', () => this.#choose());
    // What was started before the connection was lost may be gone with it.
    connection.on('rejoined', () => this.#start());
    connection.on('left', () => this.#close());
    this.#start();
  }

  /** Only these participants are heard from now on; undefined: everybody but the bot. */
  hearOnly(sessionIds: readonly string[] | undefined): void {
    this.#heard = sessionIds;
    this.#choose();
  }

  get #others(): string[] {
    const present = [...(this.#connection?.participants.keys() ?? [])];
    return this.#heard ? present.filter((id) => this.#heard?.includes(id)) : present;
  }

  #isOurs(instanceId: string | undefined): boolean {
    return instanceId === undefined || instanceId === this.#instanceId;
  }

  #start(): void {
    if (this.#isOver) return;
    this.#stop();
    const instanceId = randomUUID();
    this.#instanceId = instanceId;
    this.#timer = setTimeout(() => this.#failed(`no answer within ${START_LIMIT_MS / 1_000} s`), START_LIMIT_MS);
    const start = this.#connection?.startTranscription?.({ ...this.options, instanceId });
    if (!start) this.#giveUp('what joins the room cannot ask for transcription');
    else start.catch((error: Error) => instanceId === this.#instanceId && this.#failed(error.message));
  }

  #started(): void {
    clearTimeout(this.#timer);
    this.#startedAt = performance.now();
    if (this.#trouble !== undefined) this.#listener?.troubled(this.#error(this.#trouble, false));
    this.#trouble = undefined;
    this.#choose();
  }

  /** The bot's own voice is not to be paid for. */
  #choose(): void {
    const participants = this.#others;
    if (this.#startedAt === undefined || participants.length === 0) return;
    this.#connection?.updateTranscription?.({ instanceId: this.#instanceId, participants }).catch(() => {}); // hears them all
  }

  #hear({ sessionId, text, isFinal, endsUtterance, instanceId }: TranscriptionMessage): void {
    const isHeard = this.#isOurs(instanceId) && sessionId !== this.#connection?.sessionId;
    if (!isHeard || this.#isOver || (this.#heard && !this.#heard.includes(sessionId))) return;
    if (isFinal) this.#listener?.final(text, endsUtterance);
    else this.#listener?.interim(text);
  }

  #failed(words: string): void {
    if (this.#isOver) return;
    const wasSteady = this.#startedAt !== undefined && performance.now() - this.#startedAt >= STEADY_MS;
    this.#failures = wasSteady ? 1 : this.#failures + 1;
    this.#trouble = words;
    if (this.#failures >= MAX_FAILURES) this.#giveUp(words);
    else this.#start();
  }

  #giveUp(words: string): void {
    this.#close();
    this.#listener?.troubled(this.#error(words, true));
  }

  #error(words: string, isFinal: boolean): ProviderError {
    const hint = isFinal ? "the room provider's transcription needs a paid plan, and a token of an owner" : undefined;
    return new ProviderError(this.provider, 'VB_PROVIDER_FAILED', `transcription: ${words}`, { isFinal, hint });
  }

  /** An earlier one of ours, if it still runs. */
  #stop(): void {
    clearTimeout(this.#timer);
    this.#startedAt = undefined;
    // one that has not said yet that it listens may still begin
    if (this.#instanceId !== '')
      this.#connection?.stopTranscription?.({ instanceId: this.#instanceId }).catch(() => {}); // it is gone
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop();
  }
}
