/** The sandbox, as carrier for a runner that exists already or as room provider. Argument: the runner's answer address. */
import { randomUUID } from 'node:crypto';
import type { TickSummary } from '../../src/sandbox/rooms/tick-statistics.js';
import { plivoAccount } from '../processes/account.js';
import { dist } from '../processes/dist.js';
import { answer, usage } from '../processes/questions.js';
import { type PhoneNetworkAddress, phoneToken, roomsKey } from './account.js';

const [answerUrl = ''] = process.argv.slice(2);
const { preloadWebRtc } = await dist<typeof import('../../src/providers/rooms/webrtc/peer-audio.js')>(
  'providers/rooms/webrtc/peer-audio.js',
);
const { startSandbox } = await dist<typeof import('../../src/sandbox/sandbox.js')>('sandbox/sandbox.js');
const { authId, authToken } = plivoAccount;
if (!answerUrl) await preloadWebRtc(); // as the sandbox's own process does
const starting = startSandbox({
  authId,
  authToken,
  phoneToken,
  ...(answerUrl ? { answerUrl } : { rooms: { apiKey: roomsKey } }),
});

const ROOM_SECONDS = 3_600;

/** A room, and a token for each of two people. */
export interface RoomPlaces {
  readonly url: string;
  readonly tokens: readonly [string, string];
}

const questions = {
  async room(): Promise<RoomPlaces> {
    const { roomProvider } =
      await dist<typeof import('../../src/providers/registry/rooms.js')>('providers/registry/rooms.js');
    const client = await roomProvider.createRestClient({ apiKey: roomsKey, apiUrl: (await starting).roomsApiUrl });
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
  async address(): Promise<PhoneNetworkAddress> {
    const { url, roomsApiUrl, number } = await starting;
    return { url, roomsApiUrl, number };
  },
  async mixing(): Promise<TickSummary | undefined> {
    return (await starting).mixing;
  },
  usage,
};
export type PhoneNetwork = typeof questions;

answer(questions, async () => (await starting).close());
