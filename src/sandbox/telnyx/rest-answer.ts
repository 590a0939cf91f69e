import type { Request, Response } from 'express';
import { z } from 'zod';

const Page = z.object({
  'page[number]': z.coerce.number().int().min(1).default(1),
  'page[size]': z.coerce.number().int().min(1).max(250).default(20),
});

/** `code` and `title` of the carrier's errors, by HTTP status. */
const ERRORS: Readonly<Record<number, readonly [code: string, title: string]>> = {
  400: ['10015', 'Bad Request'],
  401: ['10009', 'Authentication failed'],
  404: ['10005', 'Resource not found'],
  405: ['10008', 'Method not allowed'],
  422: ['10027', 'Unprocessable entity'],
  429: ['10011', 'Too many requests'],
  503: ['10016', 'Service unavailable'],
};
const OTHER_ERROR = ['10007', 'Unexpected error'] as const;

/** Answers in the carrier's form. The answer to what was carried out may be lost on purpose, see `faults.ts`. */
export function send(response: Response, status: number, body: object): void {
  if (status < 300 && response.locals.loseAnswer) response.locals.loseAnswer(response);
  else response.status(status).json(body);
}

/** @param code the carrier's, where it has a better one than that of the status */
export function fail(response: Response, status: number, detail: string, code?: string): void {
  const [usualCode, title] = ERRORS[status] ?? OTHER_ERROR;
  send(response, status, { errors: [{ code: code ?? usualCode, title, detail }] });
}

export const notFound = (response: Response): void =>
  fail(response, 404, 'The requested resource or URL could not be found.');

/** Answers with the page of `objects` that was asked for. @see carrier reference 7.2 */
export function sendPage(request: Request, response: Response, objects: readonly object[]): void {
  const page = parse(Page, request.query, response);
  if (!page) return;
  const { 'page[number]': number, 'page[size]': size } = page;
  const meta = {
    total_pages: Math.ceil(objects.length / size),
    total_results: objects.length,
    page_number: number,
    page_size: size,
  };
  send(response, 200, { data: objects.slice((number - 1) * size, number * size), meta });
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
  fail(response, 422, `The '${issue?.path.join('.') || 'body'}' parameter is invalid: ${issue?.message}`);
  return undefined;
}
