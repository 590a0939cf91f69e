import { Router } from 'express';
import { z } from 'zod';
import type { CallControlMethod } from '../../providers/rooms/client-messages.js';
import type { SandboxRoomAccount } from './account.js';
import type { LiveRooms } from './contract.js';
import { parse } from './rest-answer.js';

/** The methods by path, and the `ok` of their answers: the provider documents a string for the older ones. */
const METHODS: Readonly<Record<string, { method: CallControlMethod; ok: true | 'true' }>> = {
  'dialOut/start': { method: 'startDialOut', ok: 'true' },
  'dialOut/stop': { method: 'stopDialOut', ok: 'true' },
  'dialOut/sendDTMF': { method: 'sendDTMF', ok: 'true' },
  sipCallTransfer: { method: 'sipCallTransfer', ok: true },
  sipRefer: { method: 'sipRefer', ok: true },
};

const opaque = z.string().min(1).max(256);
const Forward = z.object({ callId: opaque, callDomain: opaque, sipUri: opaque });

/** Call control checks the fields, because clients in the rooms send them too. */
const Params = z.record(z.string(), z.unknown());

/**
 * Forwarding held callers, and telephone calls out of rooms. Call control applies the rate limit of calls.
 * @see rooms reference 4.5 and 8
 */
export function restCallControl(account: SandboxRoomAccount, live: LiveRooms): Router {
  const api = Router({ caseSensitive: true });

  api.post('/dialin/pinlessCallUpdate', async (request, response) => {
    await live.forward(parse(Forward, request.body));
    response.json({ ok: 'true' });
  });

  for (const [path, { method, ok }] of Object.entries(METHODS)) {
    api.post(`/rooms/:name/${path}`, async (request, response) => {
      const { name } = account.rooms.existing(String(request.params.name));
      const fields = await live.control(name, method, parse(Params, request.body));
      response.json({ ok, ...fields });
    });
  }

  return api;
}
