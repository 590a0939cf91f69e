import type { WebSocket } from 'ws';
import type { EarSessionOptions } from './ear-session.js';
import type { FakeRequest } from './fake-request.js';
import { fakeWords } from './fake-speech.js';
import { parametersOf, problemsOfParameters } from './flux-parameters.js';
import { ListenSession } from './listen-session.js';
import type { Understood } from './speech-ear.js';

/** What a message of Flux's tells of a turn. */
export type FluxEvent = 'Update' | 'StartOfTurn' | 'EagerEndOfTurn' | 'TurnResumed' | 'EndOfTurn';

const EVENTS = { words: 'Update', pause: 'EagerEndOfTurn', resumed: 'TurnResumed', end: 'EndOfTurn' } as const;
/** Silence that ends a turn, and silence after which it is perhaps over, in milliseconds. */
const SILENCE_MS = 300;
const PAUSE_MS = 160;
/** Updates come about this often, in milliseconds of audio. */
const UPDATE_MS = 240;
/** Without a message and without a ping the real one closes, in milliseconds. */
const IDLE_LIMIT_MS = 60_000;

/** One connection of a client to `/v2/listen`. */
export class FluxSession extends ListenSession {
  /** How many pings of WebSocket's came. */
  pings = 0;
  #sequence = 0;
  #turn = 0;
  #isInTurn = false;
  /** Words of the turn so far, and where they were heard, in milliseconds of audio. */
  #text = '';
  #startMs = 0;
  #endMs = 0;
  /** Where the window of this turn began, and how much audio has been told of, in milliseconds. */
  #windowMs = 0;
  #toldMs = 0;

  /** @internal */
  constructor(socket: WebSocket, request: FakeRequest, options: EarSessionOptions, pauseMs = PAUSE_MS) {
    const { query } = request;
    super(socket, request, options, {
      encoding: query.get('encoding') === 'mulaw' ? 'PCMU' : 'L16',
      sampleRate: Number(query.get('sample_rate')),
      silenceMs: SILENCE_MS,
      pauseMs: query.has('eager_eot_threshold') ? pauseMs : undefined,
      idleLimitMs: IDLE_LIMIT_MS,
    });
    socket.on('ping', () => {
      this.pings += 1;
      this.keptAlive();
    });
    this.#answer({ type: 'Connected' });
  }

  override say(text: string, { untilMs = this.audioMs } = {}): void {
    this.turn('EndOfTurn', text, untilMs);
  }

  override interim(text: string): void {
    this.turn('Update', text);
  }

  override error(description: string, code = 'INTERNAL_SERVER_ERROR'): void {
    this.#answer({ type: 'Error', code, description });
  }

  /** Tells something of the turn; that it has begun, too, where that was not told. @param text all of its words so far */
  turn(event: FluxEvent, text: string, untilMs = this.audioMs, trigger = 'model'): void {
    const isFirst = !this.#isInTurn && text !== '';
    if (isFirst && event !== 'StartOfTurn') this.turn('StartOfTurn', text, untilMs);
    if (isFirst && event === 'Update') return;
    this.#text = text;
    this.#toldMs = untilMs;
    this.#isInTurn ||= event === 'StartOfTurn';
    const words = fakeWords(text, Math.max(0, this.#endMs - this.#startMs)).map((word) => ({
      word: word.text,
      confidence: 0.99,
      start: (this.#startMs + word.startMs) / 1_000,
      end: (this.#startMs + word.endMs) / 1_000,
    }));
    const isMulti = this.query.get('model') === 'flux-general-multi';
    const hints = this.query.getAll('language_hint');
    this.#answer({
      type: 'TurnInfo',
      event,
      turn_index: this.#turn,
      audio_window_start: this.#windowMs / 1_000,
      audio_window_end: untilMs / 1_000,
      transcript: text,
      words,
      end_of_turn_confidence: { EndOfTurn: 0.9, EagerEndOfTurn: 0.6 }[event as string] ?? 0.1,
      ...(event === 'EndOfTurn' && { trigger }),
      ...(isMulti && text !== '' && { languages: [hints[0] ?? 'en'] }),
      ...(hints.length > 0 && { languages_hinted: hints }),
    });
    if (event !== 'EndOfTurn') return;
    this.#turn += 1;
    this.#isInTurn = false;
    this.#text = '';
    this.#windowMs = untilMs;
  }

  protected override tell({ is, text, startMs, endMs }: Understood, untilMs: number): void {
    this.#startMs = startMs;
    this.#endMs = endMs;
    this.turn(EVENTS[is], text, untilMs);
  }

  protected override receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) this.#hear(data);
    else this.#obey(parametersOf(data));
  }

  protected override idle(): void {
    this.close(1011, 'Deepgram did not receive audio data or a text message within the timeout window. NET-0001');
  }

  #hear(audio: Buffer): void {
    this.hear(audio);
    const untilMs = this.audioMs;
    if (this.isMute || untilMs - this.#toldMs < UPDATE_MS) return;
    this.#toldMs = untilMs;
    this.later(() => this.turn('Update', this.#text, untilMs));
  }

  #obey(fields: Readonly<Record<string, unknown>>): void {
    const { type } = fields;
    if (typeof type === 'string') this.messages.push(type);
    if (type === 'CloseStream') {
      this.endSpeech();
      this.later(() => this.close());
    } else if (type === 'ForceEndTurn') {
      if (this.#isInTurn) this.turn('EndOfTurn', this.#text, this.audioMs, 'manual');
    } else if (type === 'Configure') {
      this.#configure(fields);
    } else {
      const words = 'Text message received from client did not match any of the formats we expect.';
      this.error(words, 'UNPARSABLE_CLIENT_MESSAGE');
      this.closeWithoutCode();
    }
  }

  #configure({ thresholds, keyterms, language_hints }: Readonly<Record<string, unknown>>): void {
    const given = Object.entries(thresholds ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
    const asked = new URLSearchParams([['model', this.query.get('model') ?? ''], ...given]);
    if (problemsOfParameters(asked).length > 0) {
      this.#answer({ type: 'ConfigureFailure' });
      return;
    }
    this.#answer({
      type: 'ConfigureSuccess',
      thresholds: thresholds ?? {},
      keyterms: keyterms ?? this.query.getAll('keyterm'),
      ...(language_hints !== undefined && { language_hints }),
    });
  }

  #answer(fields: object): void {
    this.send({ ...fields, request_id: 'fake', sequence_id: this.#sequence });
    this.#sequence += 1;
  }
}
