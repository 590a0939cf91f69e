import type { IncomingMessage } from 'node:http';
import { decodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { SpeechEar } from '../../../../src/lab/kit/speech-ear.js';
import {
  encoded,
  type FakeAudioOptions,
  FakeAudioVendor,
  type HeardStream,
  type SpeechRequest,
} from './fake-openai-audio.js';

/** xAI's `/v1/stt` and `/v1/tts`, as far as `@ai-sdk/xai` uses them. */
export class FakeXaiAudio extends FakeAudioVendor {
  readonly #ears = new WeakMap<HeardStream, SpeechEar>();

  static start(options: FakeAudioOptions = {}): Promise<FakeXaiAudio> {
    return new FakeXaiAudio(options).listen();
  }

  protected override refusalOf({ headers }: IncomingMessage) {
    const { apiKey } = this.options;
    const given = headers.authorization?.replace('Bearer ', '');
    const isRight = given !== undefined && (apiKey === undefined || given === apiKey);
    return isRight ? undefined : { status: 401, message: 'Invalid API key' };
  }

  protected override opened(stream: HeardStream): void {
    const query = new URL(stream.request.url ?? '/', 'http://fake').searchParams;
    const silenceMs = Number(query.get('endpointing') ?? 500);
    this.#ears.set(stream, new SpeechEar(this.texts, Number(query.get('sample_rate')), { silenceMs }));
    this.send(stream, { type: 'transcript.created' });
  }

  protected override receive(stream: HeardStream, data: Buffer, isBinary: boolean): void {
    if (!isBinary) {
      stream.messages.push(JSON.parse(String(data)));
      this.send(stream, { type: 'transcript.done', text: '', duration: 0 });
      return;
    }
    stream.audio.push(data);
    const query = new URL(stream.request.url ?? '/', 'http://fake').searchParams;
    const isMulaw = query.get('encoding') === 'mulaw';
    const pcm = isMulaw ? decodeMulaw(data) : new Int16Array(new Uint8Array(data).buffer);
    for (const { is, text, startMs, endMs } of this.#ears.get(stream)?.hear(pcm) ?? []) {
      const isFinal = is === 'end';
      const times = { start: startMs / 1_000, duration: (endMs - startMs) / 1_000 };
      this.send(stream, { type: 'transcript.partial', text, is_final: isFinal, speech_final: isFinal, ...times });
    }
  }

  protected override speak({ body }: SpeechRequest) {
    const { codec, sample_rate: rate = 24_000 } = body.output_format as { codec: string; sample_rate?: number };
    return encoded(this.buzzOf(String(body.text), rate), rate, codec);
  }
}
