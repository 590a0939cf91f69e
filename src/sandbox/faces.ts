import type { CarrierFace, FaceOptions } from './carrier/face.js';
import { sandboxOfExtension } from './extension-side.js';
import { plivoFace } from './plivo/face.js';
import { telnyxFace } from './telnyx/face.js';
import { twilioFace } from './twilio/face.js';

/** The carriers that the sandbox plays, besides those of extensions. */
export const FACES = {
  plivo: plivoFace,
  telnyx: telnyxFace,
  twilio: twilioFace,
} as const satisfies Readonly<Record<string, (options: FaceOptions) => CarrierFace>>;

export type SandboxCarrier = keyof typeof FACES;

/** @throws VoicebotError VB_CARRIER_UNSUPPORTED for a carrier that is not played */
export async function faceOf(name: string, options: FaceOptions): Promise<CarrierFace> {
  if (Object.hasOwn(FACES, name)) return FACES[name as SandboxCarrier](options);
  return (await sandboxOfExtension(name)).face(options);
}
