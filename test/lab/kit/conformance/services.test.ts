import type { Ear, EarListener } from '../../../../src/bot/services/stt/ear.js';
import { DeepgramSTT } from '../../../../src/bot/services/stt/index.js';
import { CartesiaTTS } from '../../../../src/bot/services/tts/cartesia-tts.js';
import type { SpeechListener, Voice } from '../../../../src/bot/services/tts/voice.js';
import { earConformance } from '../../../../src/lab/kit/conformance/ear-conformance.js';
import { voiceConformance } from '../../../../src/lab/kit/conformance/voice-conformance.js';
import { FakeCartesia } from '../../../../src/lab/kit/fake-cartesia.js';
import { FakeDeepgram } from '../../../../src/lab/kit/fake-deepgram.js';
import { buzz } from '../../../../src/lab/kit/fake-speech.js';

const registered = (title: string, play: () => Promise<void>) => test(title, play, 60_000);

/** A voice as a package would bring it: it buzzes, a piece at a time. */
const buzzing = (sampleRate: number): Voice => {
  let cancel = () => {};
  return {
    sampleRate,
    warmUp() {},
    close: () => cancel(),
    speak(listener: SpeechListener) {
      cancel();
      let count = 0;
      const timers = new Set<NodeJS.Immediate>();
      const later = (tell: () => void) => void timers.add(setImmediate(tell));
      cancel = () => {
        for (const timer of timers) clearImmediate(timer);
      };
      return {
        say: (text) =>
          later(() => {
            count += 1;
            listener.audio(buzz(text.length * 30, sampleRate));
            listener.said(count);
          }),
        end: () => later(() => listener.done()),
        cancel,
      };
    },
  };
};

/** Ears as a package would bring them: they take loud sound for a word, and a silence for its end. */
const hearing = (_sampleRate: number, listener: EarListener): Ear => {
  let isLoud = false;
  let isOpen = true;
  return {
    droppedMs: 0,
    write(pcm) {
      const wasLoud = isLoud;
      isLoud = pcm.some((sample) => Math.abs(sample) > 1_000);
      if (isOpen && isLoud !== wasLoud) isLoud ? listener.interim('hello') : listener.final('hello', true);
    },
    close() {
      isOpen = false;
    },
  };
};

const SPEECH = { pcm: buzz(1_000, 8_000), sampleRate: 8_000, words: /hello/ };

voiceConformance({ name: 'a voice of a few lines', test: registered, create: buzzing });
earConformance({ name: 'ears of a few lines', test: registered, create: hearing, speech: SPEECH });

describe('our own', () => {
  let cartesia: FakeCartesia;
  let deepgram: FakeDeepgram;
  beforeAll(async () => {
    cartesia = await FakeCartesia.start();
    deepgram = await FakeDeepgram.start({ texts: ['hello', 'hello', 'hello', 'hello'] });
  });
  afterAll(async () => {
    await cartesia.close();
    await deepgram.close();
  });

  const refusing = (server: () => FakeCartesia | FakeDeepgram) => () => {
    server().refuse(401, 'no such key');
    return () => server().recover();
  };
  voiceConformance({
    name: 'Cartesia',
    test: registered,
    create: (rate, listener) =>
      new CartesiaTTS({ apiKey: 'test', baseUrl: cartesia.url, voice: 'v' }).source.create(rate, listener),
    breakOff: () => cartesia.dropConnections(),
    refuse: refusing(() => cartesia),
  });
  earConformance({
    name: 'Deepgram',
    test: registered,
    create: (rate, listener) =>
      new DeepgramSTT({ apiKey: 'test', baseUrl: deepgram.url }).source.create(rate, listener),
    speech: SPEECH,
    breakOff: () => deepgram.dropConnections(),
    refuse: refusing(() => deepgram),
  });
});

describe('what is broken', () => {
  const failuresOf = async (register: (note: (title: string, play: () => Promise<void>) => unknown) => void) => {
    const plays: Array<readonly [string, () => Promise<void>]> = [];
    register((title, play) => plays.push([title, play]));
    const failed: string[] = [];
    for (const [title, play] of plays) await play().catch(() => failed.push(title));
    return failed.join('\n');
  };

  test('a voice that goes on after it was cancelled is noticed', async () => {
    const deaf = (rate: number): Voice => {
      const voice = buzzing(rate);
      return { ...voice, speak: (listener) => ({ ...buzzing(rate).speak(listener), cancel() {} }) };
    };
    expect(await failuresOf((note) => voiceConformance({ name: 'deaf', test: note, create: deaf }))).toMatch(
      /a speech that begins takes the place/,
    );
  });

  test('ears that tell after they were closed are noticed', async () => {
    const open = (rate: number, listener: EarListener): Ear => ({
      ...hearing(rate, listener),
      close: () => listener.final('late', true),
    });
    expect(
      await failuresOf((note) => earConformance({ name: 'open', test: note, create: open, speech: SPEECH })),
    ).toMatch(/ears that are closed tell nothing more/);
  });
});
