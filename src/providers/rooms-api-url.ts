import type { RoomProvider } from './room-provider.js';

/**
 * Where a room provider's REST API lives for code that a bot file writes itself: `ROOMS_API_URL` when set, else the
 * provider's own address. The runner takes the same setting from its configuration.
 */
export function roomsApiUrl(provider: RoomProvider): string {
  return process.env.ROOMS_API_URL || provider.defaultApiUrl;
}
