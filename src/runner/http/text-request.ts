import type { Request } from 'express';
import { z } from 'zod';
import { VoicebotError } from '../../base/errors.js';
import { parseJson } from '../dialing/start-request.js';
import { bytesOf } from './json-request.js';

/** Largest request that has a text, in bytes. */
export const MAX_TEXT_REQUEST_BYTES = 8 * 1_024;

/**
 * The text of a request that is `{ "text": "…" }`, with one space between its words.
 * @throws VoicebotError VB_REQUEST_INVALID
 */
export function textOf(request: Request, maxCharacters: number): string {
  const schema = z.strictObject(
    {
      text: z
        .string({ error: 'text must be a string' })
        .transform((text) => text.replace(/\s+/g, ' ').trim())
        .pipe(z.string().min(1, 'text is empty').max(maxCharacters, `text has more than ${maxCharacters} characters`)),
    },
    { error: 'the request must be a JSON object with text and nothing else' },
  );
  const { success, data, error } = schema.safeParse(parseJson(bytesOf(request)));
  if (success) return data.text;
  throw new VoicebotError('VB_REQUEST_INVALID', error.issues.map(({ message }) => message).join('; '));
}

export const textTooLarge = () =>
  new VoicebotError('VB_REQUEST_INVALID', `the request has more than ${MAX_TEXT_REQUEST_BYTES} bytes`);
