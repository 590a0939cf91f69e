import { daily } from './daily/provider.js';
import type { RoomProvider } from './room-provider.js';

/** The room provider that this project supports. */
export const roomProvider: RoomProvider = daily;

/** Loads its REST client, which the first one that is created would wait for. */
export async function preloadRestClient(): Promise<void> {
  await import('./daily/rest.js');
}
