import { VoicebotError } from '../../base/errors.js';
import { daily } from '../daily/provider.js';
import type { RoomProvider } from '../rooms/room-provider.js';
import { simulatedRoom } from '../rooms/simulated-rooms.js';
import { addRoomProviderName, DEFAULT_ROOM_PROVIDER, ROOM_PROVIDER_NAMES } from './room-provider-names.js';

const known = new Map<string, RoomProvider>([[daily.name, daily]]);

/** An extension brings a room provider, which has been checked. @returns what takes it away again */
export function addRoomProvider(provider: RoomProvider): () => void {
  known.set(provider.name, provider);
  const removeName = addRoomProviderName(provider.name);
  return () => {
    known.delete(provider.name);
    removeName();
  };
}

/** @throws VoicebotError VB_CONFIG_INVALID when there is none of that name */
export function roomProviderByName(name: string): RoomProvider {
  const provider = known.get(name);
  if (provider) return provider;
  const told = `there is no room provider ${name.slice(0, 64)}, but ${ROOM_PROVIDER_NAMES.join(', ')}`;
  throw new VoicebotError('VB_CONFIG_INVALID', told, {
    hint: 'the provider of an extension is there when `extensions` names its package: see docs/extending.md',
  });
}

/**
 * The provider of a room, for code of a bot: `ROOMS_PROVIDER` when set. The runner takes the same setting from its configuration.
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export function roomProviderOf(roomUrl?: string): RoomProvider {
  if (roomUrl !== undefined && simulatedRoom(roomUrl)) return daily; // whose wire the rooms of tests have
  return roomProviderByName(process.env.ROOMS_PROVIDER || DEFAULT_ROOM_PROVIDER);
}

/** Where its REST API lives, for code of a bot: `ROOMS_API_URL` when set, else the provider's own address. */
export const roomsApiUrl = ({ defaultApiUrl }: RoomProvider): string => process.env.ROOMS_API_URL || defaultApiUrl;
