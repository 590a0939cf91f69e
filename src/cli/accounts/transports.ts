/** How calls reach a bot. */
export const TRANSPORTS = ['carrier', 'rooms'] as const;
export type TransportKind = (typeof TRANSPORTS)[number];

/** What people call the provider of a transport, and the variables that belong to it. */
export const PROVIDER_WORDS = {
  carrier: { name: 'carrier', number: 'CARRIER_PHONE_NUMBER', credentials: 'CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN' },
  rooms: { name: 'room provider', number: 'ROOMS_PHONE_NUMBER', credentials: 'ROOMS_API_KEY' },
} as const satisfies Record<TransportKind, object>;
