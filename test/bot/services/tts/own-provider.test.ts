import { elevenLabsDialect } from '../../../../src/bot/services/tts/elevenlabs-tts.js';
import { SocketVoice } from '../../../../src/bot/services/tts/socket-voice.js';
import type { TtsCodec, TtsDialect } from '../../../../src/bot/services/tts/tts-dialect.js';
import { TtsService } from '../../../../src/bot/services/tts/tts-service.js';
import type { Voice, VoiceListener } from '../../../../src/bot/services/tts/voice.js';
import { resolveAccount, VENDORS } from '../../../../src/bot/services/vendor.js';
import { FakeElevenLabs } from '../../../../src/lab/kit/fake-elevenlabs.js';
import { Speaking, until } from './speaking.js';

/** A provider of one's own: a dialect, and the service that speaks it. */
class OwnTTS extends TtsService {
  constructor(private readonly dialect: TtsDialect) {
    super({ cache: false });
  }

  protected override get voiceKey(): string {
    return 'own';
  }

  protected override createVoice(_sampleRate: number, listener: VoiceListener): Voice {
    return new SocketVoice(this.dialect, listener);
  }
}

test('a dialect of its own is all a provider needs, and is kept alive as it says', async () => {
  await using fake = await FakeElevenLabs.start();
  const account = resolveAccount(VENDORS.elevenlabs, { apiKey: 'key', baseUrl: fake.url });
  const dialect = elevenLabsDialect(account, { voice: 'v', model: 'm' }, 16_000);
  const keepAlive = { everyMs: 10, message: '{"text":""}' };
  using speaking = new Speaking(new OwnTTS({ ...dialect, keepAlive }), 16_000);
  await speaking.speak('Hello.');
  await until(() => fake.messages.filter(({ text }) => text === '').length > 2, 'messages that keep the connection');
  expect(speaking.audioMs).toBeCloseTo(360, 0);
  speaking.end();
  await until(() => fake.open === 0, 'the end of the connection');
  expect(fake.messages.at(-1)).toEqual({ close_socket: true });
  const count = fake.messages.length;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(fake.messages).toHaveLength(count);
});

test('a message that a codec throws on costs the connection, and its words are not told', async () => {
  await using fake = await FakeElevenLabs.start();
  const account = resolveAccount(VENDORS.elevenlabs, { apiKey: 'key', baseUrl: fake.url });
  const dialect = elevenLabsDialect(account, { voice: 'v', model: 'm' }, 16_000);
  let mistakes = 1;
  const codec = (): TtsCodec => {
    const real = dialect.codec();
    return {
      say: (stream: string, text: string) => real.say(stream, text),
      end: (stream: string) => real.end(stream),
      cancel: (stream: string) => real.cancel(stream),
      bye: () => real.bye(),
      parse: (data: Buffer, isBinary: boolean) => {
        mistakes -= 1;
        if (mistakes >= 0) throw new SyntaxError('the secret words');
        return real.parse(data, isBinary);
      },
    };
  };
  using speaking = new Speaking(new OwnTTS({ ...dialect, codec }), 16_000);
  await speaking.speak('Hello.');
  expect(speaking.audioMs).toBeCloseTo(360, 0);
  expect(fake.connections).toHaveLength(2);
  expect(speaking.errors).toMatchObject([
    { isFinal: false, message: expect.stringContaining('ElevenLabs: sent a message that cannot be read') },
  ]);
  expect(speaking.errors[0]?.message).not.toContain('secret');
});
