import type { CarrierFace, FaceOptions } from './carrier/face.js';
import { plivoFace } from './plivo/face.js';

/** The carriers that the sandbox plays. */
export const FACES = {
  plivo: plivoFace,
} as const satisfies Readonly<Record<string, (options: FaceOptions) => CarrierFace>>;

export type SandboxCarrier = keyof typeof FACES;
