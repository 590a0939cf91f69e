import { ProviderError } from '../../../../src/base/provider-error.js';
import { ServiceHealth } from '../../../../src/bot/services/service-health.js';
import type { Speech, SpeechListener, Voice, VoiceSource } from '../../../../src/bot/services/tts/voice.js';
import { probeVoice } from '../../../../src/bot/services/tts/voice-probe.js';
import { VoicesInTurn } from '../../../../src/bot/services/tts/voices-in-turn.js';
import { HastyClock } from '../../../hasty-clock.js';

const RATE = 8_000;
const ms = (length: number) => new Int16Array((RATE * length) / 1_000).fill(8_000);

let count = 0;

/** A voice that does what a test has it do. */
class ScriptedVoice implements VoiceSource {
  readonly key: string;
  readonly provider: string;
  readonly language = undefined;
  readonly asked: string[] = [];
  speech: SpeechListener | undefined;

  /** @param soundsAfterMs by itself, when a text was asked for; else never */
  constructor(
    name: string,
    private readonly soundsAfterMs?: number,
    readonly firstSoundMs?: number,
  ) {
    count += 1; // what is known of a voice is known in the whole process
    this.key = `scripted ${count}`;
    this.provider = name;
  }

  inLanguage(): VoiceSource {
    return this;
  }

  create(): Voice {
    return { sampleRate: RATE, warmUp: () => {}, close: () => {}, speak: (listener) => this.#speak(listener) };
  }

  #speak(listener: SpeechListener): Speech {
    this.speech = listener;
    let timer: NodeJS.Timeout | undefined;
    const sound = () => {
      listener.audio(ms(200));
      listener.done();
    };
    return {
      say: (text) => {
        this.asked.push(text);
        if (this.soundsAfterMs !== undefined) timer = setTimeout(sound, this.soundsAfterMs);
      },
      end: () => {},
      cancel: () => clearTimeout(timer),
    };
  }
}

/** Both in turn, in one call; and what is heard of them. */
function inTurn(...sources: ScriptedVoice[]) {
  const health = new ServiceHealth();
  const voice = new VoicesInTurn(sources, health).create(RATE, { troubled: () => {} });
  const heard = { words: [] as string[], repeats: 0 };
  return {
    health,
    heard,
    /** Begins to say texts; resolves at the end. */
    say(...texts: string[]): Promise<void> {
      return new Promise((resolve, reject) => {
        const speech = voice.speak({
          audio: () => {},
          words: (words) => heard.words.push(...words.map(({ text }) => text)),
          said: () => {},
          repeats: () => {
            heard.repeats += 1;
          },
          done: resolve,
          failed: reject,
        });
        for (const text of texts) speech.say(text);
        speech.end();
      });
    },
  };
}

test('a word that was cut behind a text that was said is told once', async () => {
  const [first, second] = [new ScriptedVoice('First'), new ScriptedVoice('Second')];
  const { heard, say } = inTurn(first, second);
  const said = say('Hello there. ', 'Wonderful weather.');
  const word = (text: string, startMs: number, endMs: number) => ({ text, startMs, endMs });
  first.speech?.words([word('Hello', 0, 300), word('there.', 300, 600), word('Wonderful', 700, 1_200)]);
  first.speech?.audio(ms(900));
  first.speech?.failed(new ProviderError('First', 'VB_PROVIDER_FAILED', 'gone'));
  expect(second.asked).toEqual(['Wonderful weather.']);
  second.speech?.words([word('Wonderful', 0, 500), word('weather.', 500, 900)]);
  second.speech?.audio(ms(900));
  second.speech?.done();
  await said;
  expect(heard.words).toEqual(['Hello', 'there.', 'Wonderful', 'weather.']);
});

test('where another voice speaks in place of the first, what is heard is not to be kept', async () => {
  const [first, second] = [new ScriptedVoice('First'), new ScriptedVoice('Second')];
  const { heard, say } = inTurn(first, second);
  const said = say('Hello.');
  first.speech?.failed(new ProviderError('First', 'VB_PROVIDER_FAILED', 'gone'));
  second.speech?.audio(ms(100));
  second.speech?.done();
  await said;
  expect(heard.repeats).toBe(1);
});

describe('a voice that is slower to its first sound than one that streams', () => {
  const slow = (firstSoundMs?: number) => new ScriptedVoice('Slow', 1_000, firstSoundMs);

  test('is cut once, and known from then on', async () => {
    using _clock = new HastyClock();
    const [first, second] = [slow(), new ScriptedVoice('Second', 10)];
    const { health, say } = inTurn(first, second);
    await say('One.');
    expect([first.asked, second.asked]).toEqual([['One.'], ['One.']]);
    for (const state of health.failing) health.works(state);
    for (const text of ['Two.', 'Three.', 'Four.']) await say(text);
    expect([first.asked.length, second.asked.length, health.failing]).toEqual([4, 1, []]);
  });

  test('is waited for from the first text on where it says so', async () => {
    using _clock = new HastyClock();
    const [first, second] = [slow(1_200), new ScriptedVoice('Second', 10)];
    const { health, say } = inTurn(first, second);
    await say('One.');
    expect([first.asked, second.asked, health.failing]).toEqual([['One.'], [], []]);
  });

  test('is waited for when a probe has found how long it takes', async () => {
    using _clock = new HastyClock();
    const [first, second] = [slow(), new ScriptedVoice('Second', 10)];
    await probeVoice(first);
    await inTurn(first, second).say('One.');
    expect(second.asked).toEqual([]);
  });
});
