import type { WebSocket } from 'ws';
import type { EarSessionOptions } from './ear-session.js';
import type { FakeRequest } from './fake-request.js';
import { ListenSession } from './listen-session.js';
import type { Understood } from './speech-ear.js';

/** A connection without keep-alive is closed with this, as the real one does. */
const IDLE_CLOSE_CODE = 1011;
const IDLE_WORDS = 'Deepgram did not receive audio data or a text message within the timeout window. NET-0001';
const IDLE_LIMIT_MS = 10_000;
/** Results come about this often while nothing new is understood, in milliseconds of audio. */
const REPEAT_MS = 1_000;

/** One connection of a client to `/v1/listen`. */
export class NovaSession extends ListenSession {
  /** Where the last final result ended, in milliseconds of audio. */
  #finalMs = 0;
  #toldMs = 0;
  /** Words that may still change. */
  #text = '';

  /** @internal */
  constructor(socket: WebSocket, request: FakeRequest, options: EarSessionOptions) {
    const { query } = request;
    super(socket, request, options, {
      encoding: query.get('encoding') === 'mulaw' ? 'PCMU' : 'L16',
      sampleRate: Number(query.get('sample_rate')),
      silenceMs: Number(query.get('endpointing')) || 300,
      idleLimitMs: IDLE_LIMIT_MS,
    });
  }

  override say(text: string, { endsUtterance = true, untilMs = this.audioMs } = {}): void {
    this.#tell(text, true, endsUtterance, untilMs);
  }

  override interim(text: string): void {
    this.#tell(text, false, false, this.audioMs);
  }

  override error(description: string): void {
    this.send({ type: 'Error', description, message: 'fake error', variant: 'FAKE-0001' });
  }

  protected override tell({ is, text }: Understood, untilMs: number): void {
    this.#tell(text, is === 'end', is === 'end', untilMs);
  }

  #tell(transcript: string, isFinal: boolean, isSpeechFinal: boolean, untilMs: number): void {
    const words = transcript.split(' ').map((word) => ({ word, start: 0, end: 0, confidence: 0.99 }));
    this.#toldMs = untilMs;
    this.#text = isFinal ? '' : transcript;
    this.send({
      type: 'Results',
      channel_index: [0, 1],
      start: this.#finalMs / 1_000,
      duration: (untilMs - this.#finalMs) / 1_000,
      is_final: isFinal,
      speech_final: isSpeechFinal,
      channel: { alternatives: [{ transcript, confidence: transcript ? 0.99 : 0, words: transcript ? words : [] }] },
      metadata: { request_id: 'fake', model_uuid: 'fake', model_info: { name: 'fake', version: '0', arch: 'fake' } },
      from_finalize: false,
    });
    if (isFinal) this.#finalMs = untilMs;
  }

  protected override receive(data: Buffer, isBinary: boolean): void {
    if (!isBinary) {
      const { type } = JSON.parse(String(data));
      this.messages.push(type);
      if (type === 'CloseStream') this.close();
    } else if (data.length === 0) {
      this.close(1000, 'an empty message ends the audio');
    } else {
      this.hear(data);
      if (!this.isMute && this.audioMs - this.#toldMs >= REPEAT_MS) this.#tell(this.#text, false, false, this.audioMs);
    }
  }

  protected override idle(): void {
    this.close(IDLE_CLOSE_CODE, IDLE_WORDS);
  }
}
