import type { RoomConformanceOptions } from '../../../../src/lab/kit/conformance/room-conformance.js';
import { openRoomStage } from '../../../../src/lab/kit/conformance/room-stage.js';
import { daily } from '../../../../src/providers/daily/provider.js';
import { signWebhook } from '../../../../src/providers/daily/signature.js';

const CALL = { callId: '0b3d1c1e-6e4f-4f47-9d3a-2b3c4d5e6f70', callDomain: '9f8e7d6c-5b4a-4938-8271-605f4e3d2c1b' };
const SECRET = Buffer.from('a secret of thirty-two bytes, no?').toString('base64');

const KEY = '0123456789abcdef'.repeat(4);

/** Our room provider as the suite takes it. The webhook is as rooms reference 4.1 has it. */
export const ourRooms = (): Omit<RoomConformanceOptions, 'test'> => ({
  extension: { providerContract: 1, rooms: daily },
  fixtures: {
    apiKey: KEY,
    secret: SECRET,
    call: { ...CALL, from: '+12025550199', to: '+12025550100' },
    webhook() {
      const body = Buffer.from(JSON.stringify({ To: '+12025550100', From: '+12025550199', ...CALL }));
      return { headers: { 'content-type': 'application/json', ...signWebhook(body, SECRET, Date.now()) }, body };
    },
    async room() {
      const { client, room, join: _, ...stage } = await openRoomStage(daily, KEY);
      const expiresAt = Math.floor(Date.now() / 1_000) + 600;
      return {
        roomUrl: room.url,
        token: (userId) => client.createToken({ roomName: room.name, isOwner: true, expiresAt, userId }),
        close: async () => stage[Symbol.asyncDispose](),
      };
    },
  },
});
