import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { VoicebotError } from '../../base/errors.js';
import type { RunnerAccess } from './access.js';
import { type ProblemAnswer, problemAnswer } from './problem-answer.js';

/**
 * Lets a request in when its sender may use this runner, and only as `application/json`: a web page cannot send that to
 * another origin without asking first, which is always denied. Comes before anything of the request is read.
 * @see Fetch standard, CORS-safelisted request headers
 */
export const admitJson =
  (access: RunnerAccess) =>
  (request: Request, _response: Response, next: NextFunction): void => {
    if (!access.allows(request)) {
      throw new VoicebotError('VB_UNAUTHORISED', 'send the token of the runner as Authorization: Bearer <token>', {
        hint: 'the token is what VOICEBOT_TOKEN was set to when the runner was started',
      });
    }
    if (!isJson(request)) throw new UnsupportedMediaType();
    next();
  };

/** Reads the body of a request that {@link admitJson} has let in. */
export const rawBody = (limit: number): RequestHandler => express.raw({ type: () => true, limit, inflate: false });

/** What {@link rawBody} has read. */
export const bytesOf = ({ body }: Request): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

/** @throws VoicebotError VB_REQUEST_INVALID */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && /^[!-~]{1,128}$/.test(key))) return key;
  throw new VoicebotError('VB_REQUEST_INVALID', 'Idempotency-Key must be 1 to 128 visible ASCII characters');
}

class UnsupportedMediaType extends VoicebotError {
  constructor() {
    super('VB_REQUEST_INVALID', 'the request must be application/json, without Content-Encoding', {
      hint: "send the header 'Content-Type: application/json'",
    });
  }
}

/**
 * What the sender of a request is told of what went wrong with it.
 * @param tooLarge says how much it may have
 */
export function requestProblem(thrown: unknown, tooLarge: () => VoicebotError): ProblemAnswer & { error: unknown } {
  const error = readingProblem(thrown, tooLarge);
  const answer = problemAnswer(error);
  return { ...answer, error, status: error instanceof UnsupportedMediaType ? 415 : answer.status };
}

/** What went wrong while a request was read, in our own words; any other error as it is. */
function readingProblem(error: unknown, tooLarge: () => VoicebotError): unknown {
  if (error instanceof VoicebotError) return error;
  const { type, status } = error as { type?: unknown; status?: unknown };
  if (type === 'entity.too.large') return tooLarge();
  if (type === 'encoding.unsupported') return new UnsupportedMediaType();
  if (status === 400) return new VoicebotError('VB_REQUEST_INVALID', 'the request could not be read', { cause: error });
  return error;
}

function isJson({ headers }: Request): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}
