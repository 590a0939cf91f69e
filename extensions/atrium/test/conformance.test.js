import { test } from 'node:test';
import { roomConformance, startSandbox } from 'voicebot/testing';
import extension from '../index.js';
import { atrium } from '../provider.js';
import { signatureHeaders } from '../signature.js';

const apiKey = 'atrium_7c9e6679f7424de2944be07fc1f90ae7';
const secret = Buffer.from('what signs the webhooks of Atrium').toString('base64');
const held = { id: '7c9e6679-7425-40de-944b', lobby: 'lobby-1', from: '+12025550199', to: '+12025550100' };

/** Of the carrier that the sandbox plays beside the rooms: no call goes there. */
const ACCOUNT = { authId: `MA${'A1'.repeat(9)}`, authToken: 'a1'.repeat(20) };

roomConformance({
  extension,
  test,
  fixtures: {
    apiKey,
    secret,
    call: { callId: held.id, callDomain: held.lobby, from: held.from, to: held.to },
    webhook() {
      const body = Buffer.from(JSON.stringify({ event: 'caller.held', held }));
      return { headers: signatureHeaders(body, secret, Date.now()), body };
    },
    joinsSandbox: true,
    async room() {
      const sandbox = await startSandbox({ ...ACCOUNT, rooms: { provider: 'atrium', apiKey } });
      const client = await atrium.createRestClient({ apiKey, apiUrl: sandbox.roomsApiUrl });
      const close = async () => {
        await client.close();
        await sandbox.close();
      };
      const expiresAt = Math.floor(Date.now() / 1_000) + 600;
      try {
        const { url } = await client.createRoom({ name: 'joined', expiresAt, allowsDialout: false, idleSeconds: 60 });
        /** @param {string} userId */
        const token = (userId) => client.createToken({ roomName: 'joined', isOwner: true, expiresAt, userId });
        return { roomUrl: url, token, close };
      } catch (error) {
        await close();
        throw error;
      }
    },
  },
});
