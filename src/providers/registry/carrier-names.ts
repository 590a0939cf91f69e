/** The carriers this project supports, for what needs their names and nothing else of them: see `carriers`. */
export const CARRIER_NAMES = ['plivo', 'twilio', 'telnyx'] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];

/** The carrier meant where none is named. */
export const DEFAULT_CARRIER: CarrierName = 'plivo';
