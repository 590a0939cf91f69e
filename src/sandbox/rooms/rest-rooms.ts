import { Router } from 'express';
import { z } from 'zod';
import type { SandboxRoomAccount } from './account.js';
import type { LiveRooms, RoomRecord } from './contract.js';
import { parse, sendPage } from './rest-answer.js';
import { RoomPropertiesSchema } from './room-properties.js';

const change = {
  privacy: z.enum(['public', 'private']).optional(),
  properties: RoomPropertiesSchema.optional(),
};
const RoomChange = z.strictObject(change);
const NewRoom = z.strictObject({
  name: z
    .string()
    .regex(/^[\w-]{1,128}$/, 'must be 1 to 128 of A-Z a-z 0-9 _ -')
    .optional(),
  ...change,
});

/** Creating, reading, changing and deleting rooms. @see rooms reference 6 */
export function restRooms(account: SandboxRoomAccount, live: LiveRooms): Router {
  const api = Router({ caseSensitive: true });
  const { rooms } = account;

  api.get('/rooms', (request, response) => {
    sendPage(request, response, rooms.list().map(roomObject));
  });

  api.post('/rooms', (request, response) => {
    response.json(roomObject(rooms.create(parse(NewRoom, request.body))));
  });

  api.get('/rooms/:name', (request, response) => {
    response.json(roomObject(rooms.existing(request.params.name)));
  });

  api.post('/rooms/:name', (request, response) => {
    response.json(roomObject(rooms.update(request.params.name, parse(RoomChange, request.body))));
  });

  api.delete('/rooms/:name', (request, response) => {
    const { name } = request.params;
    rooms.delete(name);
    live.end(name);
    response.json({ deleted: true, name });
  });

  return api;
}

function roomObject({ id, name, privacy, url, createdAt, properties, sipEndpoints }: RoomRecord) {
  const [endpoint, ...extra] = sipEndpoints;
  return {
    id,
    name,
    api_created: true,
    privacy,
    url,
    created_at: createdAt.toISOString(),
    config: { ...properties, ...(endpoint && { sip_uri: { endpoint, extra_endpoints: extra } }) },
  };
}
