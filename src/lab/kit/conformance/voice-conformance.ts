import assert from 'node:assert/strict';
import { deferred } from '../../../base/async/deferred.js';
import { ProviderError } from '../../../base/provider-error.js';
import type { Speech, SpeechListener, Voice, VoiceListener } from '../../../bot/services/tts/voice.js';
import type { ConformanceStory } from './carrier-fixtures.js';
import { type ServiceConformanceOptions, soon } from './service-conformance.js';

const SENTENCE = 'The table is booked for seven, and we look forward to seeing you.';

/** See {@link voiceConformance}. */
export interface VoiceConformanceOptions extends ServiceConformanceOptions {
  /** Makes a voice for one call, as `VoiceSource.create` does. */
  readonly create: (sampleRate: number, listener: VoiceListener) => Voice;
}

/** Registers the tests that a voice (text to speech) has to pass. @returns how many there are */
export function voiceConformance({ name, test, create, breakOff, refuse }: VoiceConformanceOptions): number {
  const withVoice = async (play: (voice: Voice, troubles: ProviderError[]) => Promise<void>, sampleRate = 8_000) => {
    const troubles: ProviderError[] = [];
    const voice = create(sampleRate, { troubled: (error) => troubles.push(error) });
    try {
      voice.warmUp();
      await play(voice, troubles);
    } finally {
      voice.close();
      voice.close();
    }
  };
  const said = async (voice: Voice, ...pieces: string[]) => {
    const told = new ToldSpeech(voice);
    for (const piece of pieces) told.speech.say(piece);
    told.speech.end();
    await soon(told.over, 'the end of the speech');
    return told;
  };
  const stories: ConformanceStory[] = [
    {
      title: 'a sentence becomes sound at the rate of the voice, and its end is told once',
      play: () =>
        withVoice(async (voice) => {
          assert.ok(voice.sampleRate >= 8_000 && voice.sampleRate <= 48_000, `${voice.sampleRate} Hz`);
          const told = await said(voice, SENTENCE);
          assert.deepEqual(told.ends, ['done']);
          const seconds = told.samples / voice.sampleRate;
          assert.ok(
            seconds > 0.5 && seconds < 60,
            `${seconds} s of sound for a sentence: is its rate ${voice.sampleRate} Hz?`,
          );
        }),
    },
    {
      title: 'the rates of telephones and of wideband lines can be had, or another one is told',
      async play() {
        for (const rate of [8_000, 16_000, 24_000]) {
          await withVoice(async (voice) => assert.equal((await said(voice, 'Yes.')).ends[0], 'done'), rate);
        }
      },
    },
    {
      title: 'several pieces are one speech, in their order',
      play: () =>
        withVoice(async (voice) => {
          const one = await said(voice, 'One moment. ');
          const both = await said(voice, 'One moment. ', SENTENCE);
          assert.deepEqual(both.ends, ['done']);
          assert.ok(both.samples > one.samples);
          assert.deepEqual(
            both.counts,
            both.counts.toSorted((a, b) => a - b),
          );
        }),
    },
    {
      title: 'what is cancelled in mid-word tells nothing more, and the next speech is whole',
      play: () =>
        withVoice(async (voice) => {
          const dropped = new ToldSpeech(voice);
          dropped.speech.say(`${SENTENCE} ${SENTENCE}`);
          await soon(dropped.begun, 'the first sound');
          dropped.speech.cancel();
          dropped.speech.cancel();
          const before = dropped.told;
          assert.deepEqual((await said(voice, SENTENCE)).ends, ['done']);
          assert.equal(dropped.told, before, 'a speech that was cancelled has told more');
        }),
    },
    {
      title: 'a speech that begins takes the place of the one before',
      play: () =>
        withVoice(async (voice) => {
          const first = new ToldSpeech(voice);
          first.speech.say(SENTENCE);
          const second = new ToldSpeech(voice);
          const before = first.told;
          second.speech.say('Yes.');
          second.speech.end();
          await soon(second.over, 'the end of the second speech');
          assert.equal(first.told, before);
        }),
    },
    ...(breakOff
      ? [
          {
            title: 'a connection that breaks in mid-speech is made up for, or told as a failure',
            play: () =>
              withVoice(async (voice, troubles) => {
                const told = new ToldSpeech(voice);
                told.speech.say(SENTENCE);
                await soon(told.begun, 'the first sound');
                breakOff();
                told.speech.end();
                await soon(told.over, 'the end, or the failure');
                assert.equal(told.ends.length, 1);
                if (told.ends[0] === 'failed') assert.ok(troubles.every((error) => error instanceof ProviderError));
              }),
          },
        ]
      : []),
    ...(refuse
      ? [
          {
            title: 'a key that is refused is told as a failure that is final',
            async play() {
              const accept = refuse();
              try {
                await withVoice(async (voice) => {
                  const told = await said(voice, SENTENCE);
                  assert.deepEqual(told.ends, ['failed']);
                  assert.equal(told.samples, 0);
                });
              } finally {
                accept();
              }
            },
          },
        ]
      : []),
  ];
  for (const { title, play } of stories) test(`${name}: ${title}`, async () => play());
  return stories.length;
}

/** What a voice tells of one speech. */
class ToldSpeech implements SpeechListener {
  samples = 0;
  /** How often anything was told. */
  told = 0;
  readonly counts: number[] = [];
  readonly ends: Array<'done' | 'failed'> = [];
  readonly speech: Speech;
  readonly #begun = deferred();
  readonly #over = deferred();
  readonly begun: Promise<void> = this.#begun.promise;
  readonly over: Promise<void> = this.#over.promise;

  constructor(voice: Voice) {
    this.speech = voice.speak(this);
  }

  audio(pcm: Int16Array): void {
    assert.ok(pcm instanceof Int16Array, 'audio is told as 16-bit samples');
    assert.deepEqual(this.ends, [], 'audio after the end');
    this.told += 1;
    this.samples += pcm.length;
    if (this.samples > 0) this.#begun.resolve();
  }

  words(): void {
    this.told += 1;
  }

  said(count: number): void {
    this.told += 1;
    this.counts.push(count);
  }

  repeats(): void {
    this.told += 1;
  }

  done(): void {
    this.#ended('done');
  }

  failed(error: ProviderError): void {
    assert.ok(error instanceof ProviderError, 'a failure is told as a ProviderError');
    this.#ended('failed');
  }

  #ended(how: 'done' | 'failed'): void {
    this.told += 1;
    this.ends.push(how);
    this.#over.resolve();
  }
}
