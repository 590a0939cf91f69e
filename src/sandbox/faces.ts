import { VoicebotError } from '../base/errors.js';
import type { CarrierFace, FaceOptions } from './carrier/face.js';
import { plivoFace } from './plivo/face.js';
import { telnyxFace } from './telnyx/face.js';
import { twilioFace } from './twilio/face.js';

/** The carriers that the sandbox plays. */
export const FACES = {
  plivo: plivoFace,
  telnyx: telnyxFace,
  twilio: twilioFace,
} as const satisfies Readonly<Record<string, (options: FaceOptions) => CarrierFace>>;

export type SandboxCarrier = keyof typeof FACES;

/** @throws VoicebotError VB_CARRIER_UNSUPPORTED for a carrier that is not played */
export function faceOf(name: string, options: FaceOptions): CarrierFace {
  if (Object.hasOwn(FACES, name)) return FACES[name as SandboxCarrier](options);
  throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `the sandbox does not play ${name.slice(0, 64)}`, {
    hint: `it plays ${Object.keys(FACES).join(', ')}`,
  });
}
