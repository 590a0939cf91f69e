import type { Carrier } from './carrier.js';

/**
 * Where a carrier's voice API lives for code that a bot file writes itself: `CARRIER_API_URL` when set, else the
 * carrier's own address. The runner takes the same setting from its configuration.
 */
export function carrierApiUrl(carrier: Carrier): string {
  return process.env.CARRIER_API_URL || carrier.defaultApiUrl;
}
