import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import type { PhoneNetworkAddress } from '../processes/phone-network.js';

/** What both sides of the bench know of the sandbox. */
export const roomsKey = 'bench-rooms-key';
export const phoneToken = 'bench-phone-token';

/** The sandbox as room provider, for a process of the bench. */
export const ROOMS = JSON.stringify({ phoneToken, rooms: { apiKey: roomsKey } } satisfies Partial<SandboxOptions>);

export interface RoomsRunnerOptions {
  readonly botFile: string;
  readonly network: PhoneNetworkAddress;
  readonly callsPerProcess: number;
  /** How bots join rooms. Default: built-in. */
  readonly client?: RoomsClient;
  readonly botEnvironment?: Record<string, string>;
}
