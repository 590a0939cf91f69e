import { VoicebotError } from '../base/errors.js';
import { BUILT_IN_CARRIERS, type CarrierName } from '../providers/registry/carrier-names.js';
import { extensionOf } from '../providers/registry/extensions.js';
import type { CarrierFace, FaceOptions } from './carrier/face.js';
import { type NewAccount, newAccount } from './new-account.js';

/** The carrier of an extension from its own side: what the offline phone network plays it with. */
export interface CarrierSandbox {
  /** An account whose credentials no other program knows, of the form that the carrier gives them. */
  readonly newAccount: () => NewAccount;
  /** The carrier's words and its REST API. */
  readonly face: (options: FaceOptions) => CarrierFace;
}

/** @throws VoicebotError VB_CARRIER_UNSUPPORTED for a carrier that is not played */
export async function sandboxOfExtension(name: string): Promise<CarrierSandbox> {
  const side = await extensionOf(name)?.extension.sandbox?.();
  if (side) return side as CarrierSandbox;
  throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `the sandbox does not play ${name.slice(0, 64)}`, {
    hint: `it plays ${BUILT_IN_CARRIERS.join(', ')}, and the carriers of extensions that bring a sandbox`,
  });
}

/** An account at any carrier that the sandbox plays. @throws VoicebotError VB_CARRIER_UNSUPPORTED for another */
export async function newAccountAt(carrier: CarrierName): Promise<NewAccount> {
  const ours = BUILT_IN_CARRIERS.find((name) => name === carrier);
  return ours ? newAccount(ours) : (await sandboxOfExtension(carrier)).newAccount();
}
