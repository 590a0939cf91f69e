import type { Request, Response } from 'express';
import { z } from 'zod';
import type { RoomRefusal } from './contract.js';
import { invalidRequest } from './refusals.js';

const Page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(100),
  starting_after: z.string().optional(),
  ending_before: z.string().optional(),
});

/** Answers in the provider's form of an error. @see rooms reference 1.1 */
export function refuse(
  response: Response,
  { status, error, info }: Pick<RoomRefusal, 'status' | 'error' | 'info'>,
): void {
  response.status(status).json({ error, info });
}

/** `given` as `schema` reads it. @throws RoomRefusal 400 */
export function parse<T extends z.ZodType>(schema: T, given: unknown): z.infer<T> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const field = issue.path.join('.') || 'body';
  if (issue.code === 'unrecognized_keys') {
    const prefix = issue.path.length > 0 ? `${field}.` : '';
    throw invalidRequest(`unknown parameter '${prefix}${issue.keys[0]}'`);
  }
  throw invalidRequest(`${field}: ${issue.message}`);
}

/**
 * Answers with the page of `objects` that was asked for.
 * @param objects newest first
 * @throws RoomRefusal 400
 * @see rooms reference 1.3
 */
export function sendPage(request: Request, response: Response, objects: readonly { readonly id: string }[]): void {
  const { limit, starting_after: after, ending_before: before } = parse(Page, request.query);
  if (after !== undefined && before !== undefined) throw invalidRequest('starting_after excludes ending_before');
  const indexOf = (id: string): number => {
    const index = objects.findIndex((object) => object.id === id);
    if (index < 0) throw invalidRequest('starting_after or ending_before names nothing in this list');
    return index;
  };
  let start = after === undefined ? 0 : indexOf(after) + 1;
  let end = start + limit;
  if (before !== undefined) {
    end = before === 'OLDEST' ? objects.length : indexOf(before);
    start = Math.max(0, end - limit);
  }
  response.json({ total_count: objects.length, data: objects.slice(start, end) });
}
