import assert from 'node:assert/strict';
import { deferred } from '../../../base/async/deferred.js';
import { ProviderError } from '../../../base/provider-error.js';
import type { Ear, EarListener } from '../../../bot/services/stt/ear.js';
import type { ConformanceStory } from './carrier-fixtures.js';
import { type ServiceConformanceOptions, soon } from './service-conformance.js';

/** See {@link earConformance}. */
export interface EarConformanceOptions extends ServiceConformanceOptions {
  /** Makes ears for one call, as `EarSource.create` does. */
  readonly create: (sampleRate: number, listener: EarListener) => Ear;
  /** What a caller says, and words that must be among those that come of it. */
  readonly speech: { readonly pcm: Int16Array; readonly sampleRate: number; readonly words: RegExp };
}

/** Registers the tests that ears (speech to text) have to pass. @returns how many there are */
export function earConformance({ name, test, create, speech, breakOff, refuse }: EarConformanceOptions): number {
  const { pcm, sampleRate, words } = speech;
  const frame = sampleRate / 50;
  const withEars = async (play: (ear: Ear, told: ToldWords) => Promise<void>) => {
    const told = new ToldWords();
    const ear = create(sampleRate, told);
    try {
      await play(ear, told);
    } finally {
      ear.close();
      ear.close();
    }
  };
  const write = (ear: Ear, samples: Int16Array) => {
    for (let at = 0; at < samples.length; at += frame) ear.write(samples.subarray(at, at + frame));
  };
  /** A second of silence after it, again and again until `promise` settles: vendors end utterances at silences. */
  const speakUntil = async (ear: Ear, promise: Promise<void>, what: string) => {
    write(ear, pcm);
    const silence = setInterval(() => write(ear, new Int16Array(frame)), 20);
    await soon(promise, what).finally(() => clearInterval(silence));
  };
  const stories: ConformanceStory[] = [
    {
      title: 'what a caller says becomes words that do not change any more, and the end of the utterance is told',
      play: () =>
        withEars(async (ear, told) => {
          await speakUntil(ear, told.utterance(words), `${words}, and the end of the utterance`);
          assert.equal(ear.droppedMs, 0);
        }),
    },
    {
      title: 'ears that are closed tell nothing more',
      play: () =>
        withEars(async (ear, told) => {
          write(ear, pcm.subarray(0, frame * 5));
          const { count } = told;
          ear.close();
          await withEars(async (another, others) =>
            speakUntil(another, others.utterance(words), 'words of the second ears'),
          );
          assert.equal(told.count, count);
        }),
    },
    ...(breakOff
      ? [
          {
            title: 'a connection that breaks costs no words, and is told once, not as final',
            play: () =>
              withEars(async (ear, told) => {
                await speakUntil(ear, told.utterance(words), `${words} before the break`);
                breakOff();
                told.forget();
                await speakUntil(ear, told.utterance(words), `${words} after the break`);
                assert.ok(
                  told.troubles.every(({ isFinal }) => !isFinal),
                  'the break was told as final',
                );
              }),
          },
        ]
      : []),
    ...(refuse
      ? [
          {
            title: 'a key that is refused is told as final',
            async play() {
              const accept = refuse();
              try {
                await withEars(async (ear, told) => speakUntil(ear, told.refused, 'a failure that is final'));
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

/** What ears tell. */
class ToldWords implements EarListener {
  readonly troubles: ProviderError[] = [];
  count = 0;
  #text = '';
  #hasEnded = false;
  #wanted: { readonly words: RegExp; readonly resolve: () => void } | undefined;
  readonly #final = deferred();
  readonly refused: Promise<void> = this.#final.promise;

  /** Resolves when such words have come for good, and the end of the utterance. */
  utterance(words: RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.#wanted = { words, resolve };
    });
  }

  forget(): void {
    this.#text = '';
    this.#hasEnded = false;
  }

  interim(text: string): void {
    assert.equal(typeof text, 'string');
    this.count += 1;
  }

  final(text: string, endsUtterance: boolean): void {
    this.count += 1;
    this.#text += ` ${text}`;
    this.#hasEnded ||= endsUtterance;
    this.#check();
  }

  endOfTurn(): void {
    this.count += 1;
    this.#hasEnded = true;
    this.#check();
  }

  troubled(error: ProviderError): void {
    assert.ok(error instanceof ProviderError, 'trouble is told as a ProviderError');
    this.count += 1;
    this.troubles.push(error);
    if (error.isFinal) this.#final.resolve();
  }

  #check(): void {
    if (this.#hasEnded && this.#wanted?.words.test(this.#text)) this.#wanted.resolve();
  }
}
