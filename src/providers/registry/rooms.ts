import { daily } from '../daily/provider.js';
import type { RoomProvider } from '../room-provider.js';

/** The room provider that this project supports. */
export const roomProvider: RoomProvider = daily;

/** Loads its REST client, which the first one that is created would wait for. */
export async function preloadRestClient(): Promise<void> {
  await import('../daily/rest.js');
}

/**
 * Where the room provider's REST API lives for code that a bot file writes itself: `ROOMS_API_URL` when set, else the
 * provider's own address. The runner takes the same setting from its configuration.
 */
export function roomsApiUrl(): string {
  return process.env.ROOMS_API_URL || roomProvider.defaultApiUrl;
}
