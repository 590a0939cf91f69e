import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import type { HeardBy } from '../../call/timeline.js';
import type { RunnerAccess } from './access.js';
import type { AskedElsewhere } from './elsewhere.js';
import { admitJson, rawBody, requestProblem } from './json-request.js';
import { problemAnswer } from './problem-answer.js';
import { MAX_TEXT_REQUEST_BYTES, textTooLarge, typedOf } from './text-request.js';

export interface TypedRouteOptions {
  readonly access: RunnerAccess;
  /** Knows the calls. */
  readonly registry: { get(call: CallId): object | undefined };
  /** Tells the bot of a call; returns false when it takes nothing typed. */
  readonly supervisor: { type(call: CallId, text: string, at?: number, by?: HeardBy): boolean };
  /** Those of the other runners of the cluster. */
  readonly elsewhere?: AskedElsewhere | undefined;
  readonly logger: Logger;
}

const PATH = '/calls/:id/typed';
const MAX_CHARACTERS = 1_000;
const HINT = 'a bot with speech to text does, while the call is live and the runner was started with --stand-ins';

/**
 * `POST /calls/:id/typed` with `{ "text": "…" }`: what the caller is taken to have said, where stand-ins serve the call; with `agoMs`, how
 * long ago it was typed; with `by: "browser"`, that a browser has understood it. Answers 202, 404 for a call that is not known, 409 for one whose bot takes nothing typed: it has ears of its
 * own or none, or the call is over.
 */
export function typedRoute({ access, registry, supervisor, elsewhere, logger }: TypedRouteOptions): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.post(PATH, admitJson(access), rawBody(MAX_TEXT_REQUEST_BYTES), async (request, response) => {
    const { text, agoMs, by } = typedOf(request, MAX_CHARACTERS);
    const at = agoMs === undefined ? undefined : Date.now() - agoMs;
    const id = asCallId(String(request.params.id));
    const refuse = (status: number, why: string, hint?: string) =>
      void response.status(status).json(problemAnswer(new VoicebotError('VB_REQUEST_INVALID', why, { hint })).body);
    if (elsewhere && !registry.get(id) && (await passOn(elsewhere, id, request, response))) return;
    if (!registry.get(id)) refuse(404, 'the runner knows no such call');
    else if (!supervisor.type(id, text, at, by)) refuse(409, 'the bot of this call takes no typed sentences', HINT);
    else response.status(202).json({ version: 1 });
  });
  router.use(PATH, (thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { error, status, headers, body } = requestProblem(thrown, textTooLarge);
    if (status === 500) logger.error('a typed sentence could not be told', { error });
    response.set(headers).status(status).json(body);
  });
  return router;
}

/** @returns whether another runner of the cluster has answered */
async function passOn(elsewhere: AskedElsewhere, id: CallId, request: Request, response: Response): Promise<boolean> {
  const { method, originalUrl: target, body } = request;
  if (elsewhere.isFromPeer({ headers: request.headers, method, url: target })) return false;
  const { authorization: _, cookie: __, ...headers } = request.headers;
  const answer = await elsewhere.answer(id, { method, target, headers, body });
  if (!answer) return false;
  response
    .status(answer.status)
    .type(answer.contentType ?? 'json')
    .send(answer.body);
  return true;
}
