/** The sandbox. Argument: its options as JSON, beyond the account. */
import { randomUUID } from 'node:crypto';
import type { TickSummary } from '../../src/sandbox/rooms/tick-statistics.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { plivoAccount } from './account.js';
import { dist } from './dist.js';
import { answer, usage } from './questions.js';

const [argument = ''] = process.argv.slice(2);
const options = JSON.parse(argument) as Partial<SandboxOptions>;
const { preloadWebRtc } = await dist<typeof import('../../src/providers/rooms/webrtc/peer-audio.js')>(
  'providers/rooms/webrtc/peer-audio.js',
);
const { startSandbox } = await dist<typeof import('../../src/sandbox/sandbox.js')>('sandbox/sandbox.js');
if (options.rooms) await preloadWebRtc(); // as the sandbox's own process does
const starting = startSandbox({ ...plivoAccount, ...options });

const ROOM_SECONDS = 3_600;

/** A sandbox that listens. */
export interface PhoneNetworkAddress {
  readonly url: string;
  readonly apiUrl: string;
  readonly roomsApiUrl: string;
  readonly number: string;
}

/** A room, and a token for each of two people. */
export interface RoomPlaces {
  readonly url: string;
  readonly tokens: readonly [string, string];
}

const questions = {
  async address(): Promise<PhoneNetworkAddress> {
    const { url, apiUrl, roomsApiUrl, number } = await starting;
    return { url, apiUrl, roomsApiUrl, number };
  },
  async room(): Promise<RoomPlaces> {
    const { daily } = await dist<typeof import('../../src/providers/daily/provider.js')>('providers/daily/provider.js');
    const apiKey = options.rooms?.apiKey ?? '';
    const client = await daily.createRestClient({ apiKey, apiUrl: (await starting).roomsApiUrl });
    try {
      const expiresAt = Math.round(Date.now() / 1_000) + ROOM_SECONDS;
      const name = `bench-${randomUUID()}`;
      const { url } = await client.createRoom({ name, expiresAt, allowsDialout: false, idleSeconds: 0 });
      const token = () => client.createToken({ roomName: name, isOwner: true, expiresAt });
      return { url, tokens: [await token(), await token()] };
    } finally {
      await client.close();
    }
  },
  async mixing(): Promise<TickSummary | undefined> {
    return (await starting).mixing;
  },
  /** How often each number has been dialled. */
  async placedCalls(): Promise<Record<string, number>> {
    return Object.fromEntries((await starting).placedCalls);
  },
  async liveCalls(): Promise<number> {
    return (await starting).liveCalls;
  },
  usage,
};
export type PhoneNetwork = typeof questions;

answer(questions, async () => (await starting).close());
