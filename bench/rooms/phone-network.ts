/** The sandbox, as carrier for a runner that exists already or as room provider. Argument: the runner's answer address. */
import type { TickSummary } from '../../src/sandbox/rooms/tick-statistics.js';
import { plivoAccount } from '../processes/account.js';
import { dist } from '../processes/dist.js';
import { answer, usage } from '../processes/questions.js';
import { type PhoneNetworkAddress, phoneToken, roomsKey } from './account.js';

const [answerUrl = ''] = process.argv.slice(2);
const { preloadWebRtc } =
  await dist<typeof import('../../src/rooms/webrtc/peer-audio.js')>('rooms/webrtc/peer-audio.js');
const { startSandbox } = await dist<typeof import('../../src/sandbox/sandbox.js')>('sandbox/sandbox.js');
const { authId, authToken } = plivoAccount;
if (!answerUrl) await preloadWebRtc(); // as the sandbox's own process does
const starting = startSandbox({
  authId,
  authToken,
  phoneToken,
  ...(answerUrl ? { answerUrl } : { rooms: { apiKey: roomsKey } }),
});

const questions = {
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
