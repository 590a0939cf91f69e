import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { z } from 'zod';

const Page = z.object({
  limit: z.coerce.number().int().min(1).max(20).default(20),
  offset: z.coerce.number().int().min(0).default(0),
});

/** Answers in the carrier's form. The answer to what was carried out may be lost on purpose, see `faults.ts`. */
export function send(response: Response, status: number, fields: object): void {
  if (status < 300 && response.locals.loseAnswer) response.locals.loseAnswer(response);
  else if (status === 204) response.status(204).end();
  else response.status(status).json({ api_id: randomUUID(), ...fields });
}

export function fail(response: Response, status: number, error: string): void {
  send(response, status, { error });
}

/** Answers with the page of `objects` that was asked for, and with the ways to those beside it, filters included. @see carrier reference 1.1, lists */
export function sendList(request: Request, response: Response, objects: readonly object[]): void {
  const page = parse(Page, request.query, response);
  if (!page) return;
  const { limit, offset } = page;
  const pageFrom = (start: number): string => {
    const query = new URLSearchParams(request.originalUrl.replace(/^[^?]*/, ''));
    query.set('limit', String(limit));
    query.set('offset', String(start));
    return `${request.baseUrl}${request.path}?${query}`;
  };
  const total = objects.length;
  const meta = {
    limit,
    offset,
    next: offset + limit < total ? pageFrom(offset + limit) : null,
    previous: offset > 0 ? pageFrom(Math.max(0, offset - limit)) : null,
    total_count: total,
  };
  send(response, 200, { meta, objects: objects.slice(offset, offset + limit) });
}

/** `given` as `schema` reads it; undefined when it was refused, with the answer sent. */
export function parse<T extends z.ZodType>(
  schema: T,
  given: object | undefined,
  response: Response,
): z.infer<T> | undefined {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'body';
  const isMissing = !given || (issue?.path[0] !== undefined && !(issue.path[0] in given));
  fail(
    response,
    400,
    isMissing ? `${field} parameter not present` : `${field} parameter is invalid: ${issue?.message}`,
  );
  return undefined;
}
