import type { FakeDeepgram } from '../../../../src/lab/kit/index.js';

/** What becomes of ears, by what a title calls it. */
export type EarFailures = Readonly<Record<string, (fake: FakeDeepgram) => void>>;

/** They break, and take no connection again. */
export const BROKEN_EARS: EarFailures = {
  killed: (fake) => void fake.close(),
  hung: (fake) => fake.fallSilent(),
  'held at connect': (fake) => {
    fake.hold(new Promise(() => {}));
    fake.dropConnections();
  },
};

/** They are broken off, and refused from then on. @param words of the vendor @param retryAfterS as of `Retry-After` */
export const refusedEars =
  (status: number, words = 'not now', retryAfterS?: number) =>
  (fake: FakeDeepgram): void => {
    fake.refuse(status, words, retryAfterS);
    fake.dropConnections();
  };
