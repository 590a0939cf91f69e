/** How calls reach a bot. */
export const TRANSPORTS = ['carrier', 'rooms'] as const;
export type TransportKind = (typeof TRANSPORTS)[number];

/** What people call the provider of a transport, and the variable of ours for its number. */
export const PROVIDER_WORDS = {
  carrier: { name: 'carrier', number: 'CARRIER_PHONE_NUMBER' },
  rooms: { name: 'room provider', number: 'ROOMS_PHONE_NUMBER' },
} as const satisfies Record<TransportKind, object>;

/** Of the flag `--carrier`, for people. */
export const CARRIER_HELP = 'the carrier (default: the one whose credentials are set)';
export const CARRIER_OF_ROOMS = '--carrier is about carriers: leave it or --transport rooms out';
