import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';

/** What both sides of the bench know of the sandbox. */
export const roomsKey = 'bench-rooms-key';
export const phoneToken = 'bench-phone-token';

/** A sandbox that listens. */
export interface PhoneNetworkAddress {
  readonly url: string;
  readonly roomsApiUrl: string;
  readonly number: string;
}

export interface RoomsRunnerOptions {
  readonly botFile: string;
  readonly network: PhoneNetworkAddress;
  readonly callsPerProcess: number;
  /** How bots join rooms. Default: built-in. */
  readonly client?: RoomsClient;
  readonly botEnvironment?: Record<string, string>;
}
