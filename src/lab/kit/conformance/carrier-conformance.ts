import { VoicebotError } from '../../../base/errors.js';
import { BUILT_IN_CARRIERS } from '../../../providers/registry/carrier-names.js';
import { useExtension, type VoicebotExtension } from '../../../providers/registry/extensions.js';
import { callStories } from './call-stories.js';
import type { CarrierFixtures, ConformanceStory, Tried } from './carrier-fixtures.js';
import { codecStories } from './codec-stories.js';
import { documentStories } from './document-stories.js';
import { carrierNumbers, numberStories } from './number-stories.js';
import { restStories } from './rest-stories.js';
import { webhookStories } from './webhook-stories.js';

/** Which carrier is tried, and by whose tests. */
export interface CarrierConformanceOptions {
  /** What the package exports. */
  readonly extension: VoicebotExtension;
  readonly fixtures: CarrierFixtures;
  /** Registers a test: `test` of `node:test`, of Jest, of Vitest. */
  readonly test: (title: string, play: () => Promise<void>) => unknown;
}

/**
 * Registers the tests that every carrier has to pass. Those that need a phone network are there where the extension brings a side for the
 * sandbox. They use `node:assert`, so any test runner will do.
 * @returns how many there are
 * @throws VoicebotError VB_CONFIG_INVALID for an extension that brings no carrier
 */
export function carrierConformance({ extension, fixtures, test }: CarrierConformanceOptions): number {
  const { carrier, sandbox } = extension;
  if (!carrier) throw new VoicebotError('VB_CONFIG_INVALID', 'the extension brings no carrier: see roomConformance');
  const tried: Tried = { extension: { ...extension, carrier }, fixtures, sandbox: sandbox as Tried['sandbox'] };
  const stories = [
    ...codecStories(tried),
    ...webhookStories(tried),
    ...documentStories(tried),
    ...restStories(tried),
    ...(tried.sandbox ? [...numberStories(carrierNumbers(tried)), ...callStories(tried)] : []),
  ];
  for (const { title, play } of stories) {
    test(`${carrier.name}: ${title}`, () => using(extension, isOurs(carrier.name), play));
  }
  return stories.length;
}

const isOurs = (carrier: string) => BUILT_IN_CARRIERS.some((name) => name === carrier);

/** Plays a story while the extension is in use. @param isKnown it is one of voicebot itself, and always in use @internal */
export async function using(
  extension: VoicebotExtension,
  isKnown: boolean,
  play: ConformanceStory['play'],
): Promise<void> {
  const stop = isKnown ? () => {} : await useExtension(extension);
  try {
    await play();
  } finally {
    stop();
  }
}
