import type { SignedRequest } from '../../../providers/carrier.js';
import { BUILT_IN_CARRIERS } from '../../../providers/registry/carrier-names.js';
import { useExtension, type VoicebotExtension } from '../../../providers/registry/extensions.js';
import type { CarrierSandbox } from '../../../sandbox/extension-side.js';
import type { NewAccount } from '../../../sandbox/new-account.js';
import { callStories } from './call-stories.js';
import { codecStories } from './codec-stories.js';
import { documentStories } from './document-stories.js';
import { numberStories } from './number-stories.js';
import { restStories } from './rest-stories.js';
import { webhookStories } from './webhook-stories.js';

/** What {@link carrierConformance} holds against a carrier: as its documentation shows it, or as it was recorded, and not as its own code makes it. */
export interface CarrierFixtures {
  /** An account of the carrier's form, which signs {@link webhook}. */
  readonly account: Omit<NewAccount, 'privateKey'>;
  /** Messages of a media stream: one that begins it, at least one with audio, and what else there is. */
  readonly messages: readonly string[];
  /** What those say: the identifiers, and how many bytes of audio the first message with audio has. */
  readonly stream: { readonly streamId: string; readonly callId: string; readonly audioBytes: number };
  /** A webhook that asks for the document of an incoming call, signed now. */
  readonly webhook: () => SignedRequest;
  /** What it says; E.164. */
  readonly call: { readonly callId: string; readonly from: string; readonly to: string };
  /** What the carrier's signature does not cover: whatever changes there is not noticed. Default: nothing. */
  readonly unsigned?: ReadonlyArray<'body' | 'query'>;
}

/** Which carrier is tried, and by whose tests. */
export interface CarrierConformanceOptions {
  /** What the package exports. */
  readonly extension: VoicebotExtension;
  readonly fixtures: CarrierFixtures;
  /** Registers a test: `test` of `node:test`, of Jest, of Vitest. */
  readonly test: (title: string, play: () => Promise<void>) => unknown;
}

/** One behaviour that is asked of every provider. @internal */
export interface ConformanceStory {
  readonly title: string;
  play(): void | Promise<void>;
}

/** What stories are made from. @internal */
export interface Tried extends Pick<CarrierConformanceOptions, 'extension' | 'fixtures'> {
  /** Undefined where the carrier has no side for the sandbox. */
  readonly sandbox: (() => Promise<CarrierSandbox>) | undefined;
}

/**
 * Registers the tests that every carrier has to pass. Those that need a phone network are there where the extension brings a side for the
 * sandbox. They use `node:assert`, so any test runner will do.
 * @returns how many there are
 */
export function carrierConformance({ extension, fixtures, test }: CarrierConformanceOptions): number {
  const tried: Tried = {
    extension,
    fixtures,
    sandbox: extension.sandbox as Tried['sandbox'],
  };
  const stories = [
    ...codecStories(tried),
    ...webhookStories(tried),
    ...documentStories(tried),
    ...restStories(tried),
    ...(tried.sandbox ? [...numberStories(tried), ...callStories(tried)] : []),
  ];
  for (const { title, play } of stories) {
    test(`${extension.carrier.name}: ${title}`, () => using(extension, play));
  }
  return stories.length;
}

/** Those of voicebot itself are known already. */
async function using(extension: VoicebotExtension, play: ConformanceStory['play']): Promise<void> {
  const isOurs = BUILT_IN_CARRIERS.some((name) => name === extension.carrier.name);
  const stop = isOurs ? () => {} : await useExtension(extension);
  try {
    await play();
  } finally {
    stop();
  }
}
