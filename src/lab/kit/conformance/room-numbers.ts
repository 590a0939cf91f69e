import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { RoomProvider } from '../../../providers/rooms/room-provider.js';
import { newAccount } from '../../../sandbox/new-account.js';
import { askDaily } from '../../../sandbox/rooms/ask-daily.js';
import { ROOMS_API_PATH } from '../../../sandbox/rooms/room-service.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import { FORMER, type NumbersTried, numberStage } from './number-stories.js';
import type { TriedRooms } from './room-fixtures.js';

/** A sandbox that plays the room provider, with phones that show `phoneToken`. */
export const startRoomsSandbox = (
  { name }: RoomProvider,
  apiKey: string,
  phoneToken = randomBytes(16).toString('hex'),
): Promise<Sandbox> =>
  startSandbox({ ...newAccount(), phoneToken, rooms: { provider: name, apiKey }, answerUrl: FORMER });

/** The numbers of a room provider. */
export function roomNumbers({ extension: { rooms }, fixtures: { apiKey } }: TriedRooms): NumbersTried {
  return {
    urlsAt: (origin) => ({ answerUrl: `${origin}/rooms-dialin-webhook`, hangupUrl: '' }),
    secret: randomBytes(32).toString('base64'),
    async stage() {
      const sandbox = await startRoomsSandbox(rooms, apiKey);
      // As another program has set it, at the rooms that stand behind the provider.
      const { status } = await askDaily(`${sandbox.url}${ROOMS_API_PATH}`, apiKey, {
        method: 'POST',
        path: '/domain-dialin-config',
        fields: { type: 'pinless_dialin', phone_number: sandbox.number, room_creation_api: FORMER },
      });
      if (status !== 200) await sandbox.close();
      assert.equal(status, 200);
      return numberStage(sandbox, sandbox.roomsApiUrl, (apiUrl) => rooms.createNumberRouting({ apiKey, apiUrl }));
    },
  };
}
