import type { RoomProvider } from './contract.js';
import { daily } from './daily/provider.js';

/** The room provider that this project supports. */
export const roomProvider: RoomProvider = daily;
