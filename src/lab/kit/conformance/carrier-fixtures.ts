import type { Carrier, SignedRequest } from '../../../providers/carrier.js';
import type { VoicebotExtension } from '../../../providers/registry/extensions.js';
import type { CarrierSandbox } from '../../../sandbox/extension-side.js';
import type { NewAccount } from '../../../sandbox/new-account.js';

/** What `carrierConformance` holds against a carrier: as its documentation shows it, or as it was recorded, and not as its own code makes it. */
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

/** One behaviour that is asked of every provider. @internal */
export interface ConformanceStory {
  readonly title: string;
  play(): void | Promise<void>;
}

/** What stories are made from. @internal */
export interface Tried {
  readonly extension: VoicebotExtension & { readonly carrier: Carrier };
  readonly fixtures: CarrierFixtures;
  /** Undefined where the carrier has no side for the sandbox. */
  readonly sandbox: (() => Promise<CarrierSandbox>) | undefined;
}

/** Has something used, and closed in any case. @internal */
export async function closing<Closed extends AsyncDisposable, Result>(
  opened: Promise<Closed>,
  use: (opened: Closed) => Promise<Result>,
): Promise<Result> {
  const resource = await opened;
  try {
    return await use(resource);
  } finally {
    await resource[Symbol.asyncDispose]();
  }
}
