import { createHash } from 'node:crypto';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { RESERVED_PARAMETERS } from '../dialing/call-tickets.js';
import { IdempotentRequests, type RequestsOnce } from '../dialing/idempotent-requests.js';
import {
  MAX_PARAMETER_LENGTH,
  MAX_PARAMETERS,
  MAX_QUERY_LENGTH,
  MAX_START_BYTES,
  PARAMETER_NAME,
  parseStartRequest,
  type StartedCall,
  type StartRequest,
  startTooLarge,
} from '../dialing/start-request.js';
import { isTraceparent } from '../tracing/traceparent.js';
import type { RunnerAccess } from './access.js';
import { admitJson, bytesOf, idempotencyKeyOf, rawBody, requestProblem } from './json-request.js';
import { problemAnswer } from './problem-answer.js';

export interface StartRouteOptions {
  access: RunnerAccess;
  dial: (request: StartRequest) => Promise<StartedCall>;
  /** Has a repeated request dialled once. Default: among the requests to this runner. */
  requests?: RequestsOnce<StartedCall>;
  /** What a program that dials should know about this runner. Default: nothing. */
  warnings?: readonly string[];
  logger: Logger;
}

/**
 * `POST /start`: places a call. Answers 202 `{ version, call_id, carrier_call_id, warnings? }` and a `Location`, or a problem
 * `{ version, error: { code, message, hint? } }`. Nothing of a request is read before its sender is known, and only
 * `application/json` is: a web page cannot send that to another origin without asking first, which is always denied. The spans of
 * the call hang below that of a header `traceparent`.
 * @see Fetch standard, CORS-safelisted request headers; RFC 9110 for the status codes
 */
export function startRoute({
  access,
  dial,
  requests = new IdempotentRequests<StartedCall>(),
  warnings = [],
  logger,
}: StartRouteOptions): Router {
  const start = async (request: Request, response: Response) => {
    const key = idempotencyKeyOf(request);
    const parameters = parametersOf(request);
    const asked = parseStartRequest(bytesOf(request));
    const { phoneNumber, timeZone, body } = asked;
    const meant = [phoneNumber, body, parameters, ...(timeZone === undefined ? [] : [timeZone])];
    const started = await requests.run(key, fingerprintOf(meant), () =>
      dial({ ...asked, parameters, traceparent: traceparentOf(request) }),
    );
    response
      .status(202)
      .location(`/calls/${encodeURIComponent(started.callId)}`)
      .json({
        version: 1,
        call_id: started.callId,
        carrier_call_id: started.providerCallId ?? null,
        ...(warnings.length > 0 && { warnings }),
      });
  };

  const router = express.Router({ caseSensitive: true, strict: true });
  router
    .route('/start')
    .post(admitJson(access), rawBody(MAX_START_BYTES), start)
    .all((_request, response) => {
      const error = new VoicebotError('VB_REQUEST_INVALID', 'only POST is answered here');
      response.set('allow', 'POST').status(405).json(problemAnswer(error).body);
    });
  router.use('/start', (thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { error, status, headers, body } = requestProblem(thrown, startTooLarge);
    if (status === 500) logger.error('dial-out failed', { error });
    else logger.warn('dial-out refused', { status, code: body.error.code, reason: body.error.message });
    response.set(headers).status(status).json(body);
  });
  return router;
}

/** One that is malformed counts as none. */
function traceparentOf({ headers }: Request): string | undefined {
  const { traceparent } = headers;
  return isTraceparent(traceparent) ? traceparent : undefined;
}

function parametersOf({ originalUrl }: Request): Record<string, string> {
  const search = new URLSearchParams(/\?.*/s.exec(originalUrl)?.[0]);
  const query = [...search];
  const problems = query.flatMap(([name, value]) => {
    const shown = JSON.stringify(name.slice(0, 64));
    if (!PARAMETER_NAME.test(name)) return [`${shown} must be a to z, 0 to 9 and _, at most 64 characters`];
    if (RESERVED_PARAMETERS.has(name)) return [`${shown} is reserved`];
    if (value.length > MAX_PARAMETER_LENGTH) return [`${shown} has more than ${MAX_PARAMETER_LENGTH} characters`];
    return [];
  });
  const parameters = Object.fromEntries(query);
  if (query.length > MAX_PARAMETERS) problems.push(`there are more than ${MAX_PARAMETERS}`);
  const { length } = String(search);
  if (length > MAX_QUERY_LENGTH)
    problems.push(`together they have ${length} characters, the limit is ${MAX_QUERY_LENGTH}`);
  if (Object.keys(parameters).length < query.length) problems.push('a name is there twice');
  if (problems.length === 0) return parameters;
  throw new VoicebotError('VB_REQUEST_INVALID', `query parameters: ${problems.slice(0, 5).join('; ')}`);
}

/** A hash that is equal for requests with the same meaning; the request cannot be read from it. */
function fingerprintOf(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64');
}
