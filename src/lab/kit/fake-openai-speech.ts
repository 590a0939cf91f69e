import type { IncomingMessage } from 'node:http';
import type { FakeSpeechOrder } from './fake-http-speech.js';
import type { FakeVoiceOptions } from './fake-speech.js';
import { FakeVoiceServer, type OnMessage, type SpeechFields } from './fake-voice-server.js';

/** Hertz: of `pcm` and `wav`. */
const RATE = 24_000;
const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];
const MOST_CHARACTERS = 4_096;

/**
 * OpenAI's speech over HTTP on loopback, for tests without an account: give {@link url} as `baseURL`. It speaks `pcm` and
 * `wav`. By default every character is 60 ms of a tone, so the length of a recording tells what was said.
 *
 * ```ts
 * await using openai = await FakeOpenAISpeech.start();
 * const tts = createOpenAI({ apiKey: 'test', baseURL: openai.url }).speech('gpt-4o-mini-tts');
 * ```
 */
export class FakeOpenAISpeech extends FakeVoiceServer {
  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeVoiceOptions = {}): Promise<FakeOpenAISpeech> {
    const fake = new FakeOpenAISpeech(options);
    await fake.listen();
    return fake;
  }

  /** Base address, such as `http://127.0.0.1:40123/v1`. */
  override get url(): string {
    return `${super.url}/v1`;
  }

  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    return /^Bearer (.+)/.exec(headers.authorization ?? '')?.[1];
  }

  protected override isPath(): boolean {
    return false;
  }

  protected override orderOf(
    path: string,
    _query: URLSearchParams,
    body: SpeechFields,
  ): FakeSpeechOrder | string | undefined {
    if (path !== '/v1/audio/speech') return undefined;
    const { model, input, voice, response_format: format = 'mp3', speed = 1 } = body;
    if (typeof model !== 'string') return "Missing required parameter: 'model'.";
    if (typeof input !== 'string' || input === '') return "Missing required parameter: 'input'.";
    if (input.length > MOST_CHARACTERS)
      return `Invalid 'input': string too long, at most ${MOST_CHARACTERS} characters.`;
    if (typeof voice !== 'string' && typeof voice !== 'object') return "Missing required parameter: 'voice'.";
    if (typeof speed !== 'number' || speed < 0.25 || speed > 4) return "Invalid 'speed': must be 0.25 to 4.";
    if (!FORMATS.includes(String(format)))
      return `Invalid value: '${format}'. Supported values are: ${FORMATS.join(', ')}.`;
    if (format !== 'pcm' && format !== 'wav') return 'this fake speaks pcm and wav only';
    return { text: input, sampleRate: RATE, encoding: 'L16', isWav: format === 'wav' };
  }

  protected override wordsOf(message: string): object {
    return { error: { message, type: 'invalid_request_error', param: null, code: null } };
  }

  protected override accept(): OnMessage {
    return () => {};
  }

  protected override fail(): void {}
}
