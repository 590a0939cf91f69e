import express, { type Request, type Response, type Router } from 'express';
import { settlesWithin } from '../../base/async/deadline.js';
import { type ErrorCode, VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { asCallId } from '../../call/call-id.js';
import type { DialinWebhook, RoomProvider } from '../../providers/rooms/room-provider.js';
import type { ConnectionGuard } from './connection-guard.js';
import type { DialinSecrets } from './dialin-secrets.js';
import type { CallsElsewhere } from './elsewhere.js';
import { isLocalRequest } from './local-request.js';
import { problemAnswer } from './problem-answer.js';
import type { RefusalLog } from './refusal-log.js';

/** Largest webhook body, in bytes. */
const MAX_BODY_BYTES = 64 * 1_024;
/** How long the provider waits for us while a room is created, in milliseconds: it is to have its answer within a second. */
const ANSWER_LIMIT_MS = 800;

/** The second is what the provider's samples configure (rooms reference 4.1): numbers that are set so need no change. */
export const DIALIN_PATHS: readonly string[] = ['/rooms-dialin-webhook', '/daily-dialin-webhook'].flatMap((path) => [
  path,
  `${path}/`,
]);

/** A call that the provider holds for us. */
export type DialinCall = Extract<DialinWebhook, { kind: 'call' }>;

export interface DialinRouteOptions {
  provider: Pick<RoomProvider, 'verifyWebhook' | 'parseWebhook'>;
  secrets: Pick<DialinSecrets, 'haveSigned'>;
  /** Accept webhooks without a signature, from programs on this machine. */
  insecure: boolean;
  guard: ConnectionGuard;
  refusals: RefusalLog;
  /** The calls of the other runners; undefined when there are none. */
  sharing?: CallsElsewhere | undefined;
  /**
   * Takes the call, the first time it is told of it. Settles when its room is there or cannot be.
   * @returns `undefined` when calls are turned away
   */
  take: (call: DialinCall) => Promise<unknown> | undefined;
  /** Told when a call's webhook was answered: with which HTTP status, and how long that took. */
  answered: (call: DialinCall, status: number, ms: number) => void;
  logger: Logger;
}

/**
 * `POST /rooms-dialin-webhook`, or `/daily-dialin-webhook`: a caller is held and a bot is wanted. Answers 200 `{ version, call_id }` within a second,
 * the same however often it is told of a call; 502 when there will be no room, 503 when there is no bot, too many calls, or the
 * runner stops.
 * @see rooms reference 4
 */
export function dialinRoute(options: DialinRouteOptions): Router {
  const { provider, secrets, insecure, guard, refusals, sharing, take, answered, logger } = options;
  const answer = async (request: Request, response: Response) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const webhook = parse(provider, body);
    if (!webhook) return refuse(response, 'VB_REQUEST_INVALID', 'the body is not JSON');
    if (webhook.kind === 'test') return void response.json({ version: 1, status: 'ok' });
    const { headers } = request;
    const isGenuine = insecure
      ? isLocalRequest(request)
      : await secrets.haveSigned((secret) => provider.verifyWebhook({ headers, body }, secret, Date.now()));
    if (!isGenuine) {
      const hint =
        "is the webhook of the number's dial-in configuration this runner's, and this machine's clock right? Set the number anew: npx voicebot configure-number";
      refusals.refuse('bad_signature', { path: request.path, hint }, request);
      return refuse(response, 'VB_UNAUTHORISED', 'the signature is missing, wrong or too old');
    }
    if (webhook.kind === 'invalid') return refuse(response, 'VB_REQUEST_INVALID', webhook.problem);
    guard.trust(request.socket);
    const beganAt = performance.now();
    response.once('finish', () => answered(webhook, response.statusCode, performance.now() - beganAt));
    const elsewhere = await sharing?.route({
      id: asCallId(webhook.providerCallId),
      isFromPeer: sharing.isFromPeer({ headers, method: request.method, url: request.originalUrl }),
      isNew: true,
      request: { method: request.method, target: request.originalUrl, headers, body },
    });
    if (elsewhere) {
      response.status(elsewhere.status).type('json').send(elsewhere.body);
      return;
    }
    const taken = take(webhook);
    if (!taken) return refuse(response, 'VB_RUNNER_STOPPING', 'the bot takes no new calls');
    const failure = taken.then(
      () => undefined,
      (error: unknown) => {
        if (isOf(error, 'VB_BROWSER_FAILED')) return NO_PAGE;
        return isOf(error, 'VB_BOT_LOAD_FAILED') ? NO_BOT : NO_ROOM;
      },
    );
    // A room that takes longer is waited for by the caller and not by the provider.
    const refusal = (await settlesWithin(failure, ANSWER_LIMIT_MS)) ? await failure : undefined;
    if (refusal) return refuse(response, refusal.code, refusal.problem);
    response.json({ version: 1, call_id: webhook.providerCallId });
  };

  const router = express.Router({ caseSensitive: true, strict: true });
  router
    .route([...DIALIN_PATHS])
    .post(express.raw({ type: () => true, limit: MAX_BODY_BYTES }), (request, response, next) => {
      answer(request, response).catch((error: unknown) => {
        logger.error('webhook failed', { path: request.path, error });
        next(error);
      });
    })
    .all((_request, response) => void response.status(405).set('allow', 'POST').end());
  return router;
}

const NO_BOT = { code: 'VB_BOT_LOAD_FAILED', problem: 'there is no bot for the call' } as const;
const NO_PAGE = { code: 'VB_BROWSER_FAILED', problem: 'there are as many calls as there may be' } as const;
const NO_ROOM = { code: 'VB_ROOMS_REQUEST_FAILED', problem: 'no room could be created for the call' } as const;

function isOf(error: unknown, code: ErrorCode): boolean {
  return error instanceof VoicebotError && error.code === code;
}

/** Undefined for what is not JSON. */
function parse(provider: DialinRouteOptions['provider'], body: Buffer): DialinWebhook | undefined {
  try {
    return provider.parseWebhook(body);
  } catch {
    return undefined;
  }
}

function refuse(response: Response, code: ErrorCode, problem: string): void {
  const { status, body } = problemAnswer(new VoicebotError(code, problem));
  response.status(status).json(body);
}
