import type { ErrorRequestHandler, Response } from 'express';
import { VoicebotError } from '../../base/errors.js';

/**
 * What a carrier's REST API answers when handling a request threw: 429 for what the sandbox refuses, the status of a request
 * that could not be read, else 500 without saying why.
 * @param fail answers in the carrier's form
 */
export function answerErrors(fail: (response: Response, status: number, text: string) => void): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    if (error instanceof VoicebotError) return fail(response, 429, error.message);
    const status = typeof error.status === 'number' && error.status < 500 ? error.status : 500;
    fail(response, status, status < 500 ? String(error.message) : 'internal error');
  };
}
