import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { SandboxRoomAccount } from './account.js';
import { type LiveRooms, RoomRefusal } from './contract.js';
import type { DialinWebhooks } from './dialin-webhook.js';
import { refuse } from './rest-answer.js';
import { restCallControl } from './rest-call-control.js';
import { restDomain } from './rest-domain.js';
import { restNumbers } from './rest-numbers.js';
import { restPresence } from './rest-presence.js';
import { restRooms } from './rest-rooms.js';
import { restTokens } from './rest-tokens.js';

const MAX_BODY = '128kb';

/**
 * The room provider's REST API, as far as the sandbox plays it; to be mounted under a path of its own.
 * @see rooms reference 1 to 8
 */
export function roomsApi(account: SandboxRoomAccount, live: LiveRooms, webhooks: DialinWebhooks): Router {
  const api = Router({ caseSensitive: true });
  api.use(authentication(account));
  api.use((request, _response, next) => {
    const isDeletion = request.method === 'DELETE' && request.path.startsWith('/rooms/');
    account.rateLimits.take(isDeletion ? 'roomDeletion' : 'most');
    next();
  });
  // Any body is read as JSON, whatever its content type; each route refuses a body that is no object.
  api.use(express.json({ limit: MAX_BODY, type: () => true, strict: false }));
  api.use(restDomain(account, webhooks), restNumbers(account), restRooms(account, live), restTokens(account));
  api.use(restPresence(account, live), restCallControl(account, live));
  api.use((_request, response) => {
    refuse(response, { status: 404, error: 'not-found', info: 'unknown path or method' });
  });
  api.use(onError(account));
  return api;
}

const authentication =
  (account: SandboxRoomAccount): RequestHandler =>
  (request, response, next) => {
    const [, key] = /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '') ?? [];
    if (!key) {
      const info = 'bad Authorization header format';
      return refuse(response, { status: 400, error: 'authorization-header-error', info });
    }
    if (account.isKey(key)) return next();
    refuse(response, { status: 401, error: 'authentication-error', info: 'the API key is not valid' });
  };

const onError =
  ({ logger }: SandboxRoomAccount): ErrorRequestHandler =>
  (error, _request, response, _next) => {
    if (error instanceof RoomRefusal) return refuse(response, error);
    const { status, type, message } = error as { status?: number; type?: string; message?: string };
    if (type === 'entity.parse.failed') {
      return refuse(response, { status: 400, error: 'json-parsing-error', info: 'the body is not JSON' });
    }
    if (status !== undefined && status >= 400 && status < 500) {
      return refuse(response, { status, error: 'invalid-request-error', info: String(message) });
    }
    logger.error('a request to the room provider failed', { error });
    refuse(response, { status: 500, error: 'server-error', info: 'internal error' });
  };
