import type { Request } from 'express';
import { z } from 'zod';
import { VoicebotError } from '../../base/errors.js';
import type { HeardBy } from '../../call/timeline.js';
import { parseJson } from '../dialing/start-request.js';
import { bytesOf } from './json-request.js';

/** Largest request that has a text, in bytes. */
export const MAX_TEXT_REQUEST_BYTES = 8 * 1_024;

/**
 * The text of a request that is `{ "text": "…" }`, with one space between its words.
 * @throws VoicebotError VB_REQUEST_INVALID
 */
export function textOf(request: Request, maxCharacters: number): string {
  const error = 'the request must be a JSON object with text and nothing else';
  return parsed(request, z.strictObject({ text: textWithin(maxCharacters) }, { error })).text;
}

/**
 * A request that is `{ "text": "…" }`, with `"agoMs": 1500` where it was typed: so long ago, in milliseconds; with `"by": "browser"` where
 * a browser has understood it.
 * @throws VoicebotError VB_REQUEST_INVALID
 */
export function typedOf(
  request: Request,
  maxCharacters: number,
): { text: string; agoMs?: number | undefined; by?: HeardBy | undefined } {
  const error =
    'the request must be a JSON object with text, agoMs where it was typed, by where it was not, and nothing else';
  const agoMs = z.number({ error: WRONG_AGE }).min(0, WRONG_AGE).max(MAX_AGO_MS, WRONG_AGE).optional();
  const by = z.literal('browser', { error: 'by must be "browser"' }).optional();
  return parsed(request, z.strictObject({ text: textWithin(maxCharacters), agoMs, by }, { error }));
}

const MAX_AGO_MS = 600_000;
const WRONG_AGE = `agoMs must be a number from 0 to ${MAX_AGO_MS}`;

const textWithin = (maxCharacters: number) =>
  z
    .string({ error: 'text must be a string' })
    .transform((text) => text.replace(/\s+/g, ' ').trim())
    .pipe(z.string().min(1, 'text is empty').max(maxCharacters, `text has more than ${maxCharacters} characters`));

function parsed<Parsed>(request: Request, schema: z.ZodType<Parsed>): Parsed {
  const { success, data, error } = schema.safeParse(parseJson(bytesOf(request)));
  if (success) return data;
  throw new VoicebotError('VB_REQUEST_INVALID', error.issues.map(({ message }) => message).join('; '));
}

export const textTooLarge = () =>
  new VoicebotError('VB_REQUEST_INVALID', `the request has more than ${MAX_TEXT_REQUEST_BYTES} bytes`);
