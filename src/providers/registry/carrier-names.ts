/** The carriers of this project, for what needs their names and nothing else of them: see `carriers`. */
export const BUILT_IN_CARRIERS = ['plivo', 'twilio', 'telnyx'] as const;
/** The name of a carrier of this project. */
export type BuiltInCarrier = (typeof BUILT_IN_CARRIERS)[number];

/** A carrier of this project, or one that an extension brings. */
export type CarrierName = BuiltInCarrier | (string & Record<never, never>);

const names: CarrierName[] = [...BUILT_IN_CARRIERS];

/** Every carrier there is: this project's own, then those of extensions as these are loaded. Read it when it is needed, not before. */
export const CARRIER_NAMES: readonly CarrierName[] = names;

/** An extension brings a carrier. @returns what takes it away again */
export function addCarrierName(name: CarrierName): () => void {
  names.push(name);
  return () => void names.splice(names.indexOf(name), 1);
}

/** The carrier meant where none is named. */
export const DEFAULT_CARRIER: BuiltInCarrier = 'plivo';
