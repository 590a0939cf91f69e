import { Router } from 'express';
import { z } from 'zod';
import type { SandboxRoomAccount } from './account.js';
import type { LiveRooms, Presence, RoomRecord } from './contract.js';
import { UpdatePermissions } from './control-params.js';
import { notFound } from './refusals.js';
import { parse } from './rest-answer.js';

const PresenceFilter = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(100),
  userId: z.string().optional(),
  userName: z.string().optional(),
});

const ids = z.array(z.string()).max(100).default([]);
const Ejection = z.object({ ids, user_ids: ids, ban: z.boolean().default(false) });

/** Lists and ejects participants, and says what they may do. @see rooms reference 6.2 */
export function restPresence(account: SandboxRoomAccount, live: LiveRooms): Router {
  const api = Router({ caseSensitive: true });

  const presenceIn = (room: RoomRecord, present: readonly Presence[]): object[] =>
    present.map(({ sessionId, userName, userId = null, joinedAt }) => ({
      room: room.name,
      id: sessionId,
      userId,
      userName,
      joinTime: joinedAt.toISOString(),
      duration: Math.max(0, Math.floor((account.now() - joinedAt.getTime()) / 1_000)),
    }));

  api.get('/presence', (_request, response) => {
    const occupied = account.rooms.list().flatMap((room) => {
      const present = live.presence(room.name);
      return present ? [[room.name, presenceIn(room, present)] as const] : [];
    });
    response.json(Object.fromEntries(occupied));
  });

  api.get('/rooms/:name/presence', (request, response) => {
    const room = account.rooms.existing(request.params.name);
    const { limit, userId, userName } = parse(PresenceFilter, request.query);
    const present = live.presence(room.name) ?? [];
    const fitting = present.filter(
      (one) => (userId ?? one.userId) === one.userId && (userName ?? one.userName) === one.userName,
    );
    // A room has one meeting at a time, so the room's id serves as the meeting's.
    const data = presenceIn(room, fitting.slice(0, limit)).map((one) => ({ ...one, mtgSessionId: room.id }));
    response.json({ total_count: fitting.length, data });
  });

  api.post('/rooms/:name/eject', async (request, response) => {
    const room = account.rooms.existing(request.params.name);
    const { ids: given, user_ids: userIds } = parse(Ejection, request.body);
    const present = live.presence(room.name);
    if (!present) throw notFound(`room ${room.name} is not hosting a call`);
    const ejectedIds = present
      .filter(({ sessionId, userId = '' }) => given.includes(sessionId) || userIds.includes(userId))
      .map(({ sessionId }) => sessionId);
    if (ejectedIds.length > 0) await live.control(room.name, 'eject', { ids: ejectedIds });
    response.json({ ejectedIds });
  });

  api.post('/rooms/:name/update-permissions', async (request, response) => {
    const { name } = account.rooms.existing(request.params.name);
    if (!live.presence(name)) throw notFound(`room ${name} is not hosting a call`);
    response.json(await live.control(name, 'updatePermissions', parse(UpdatePermissions, request.body)));
  });

  return api;
}
