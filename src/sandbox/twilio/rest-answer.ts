import type { Request, Response } from 'express';
import { z } from 'zod';
import type { JsonFields } from '../../base/http/json-fields.js';

const Page = z.object({
  Page: z.coerce.number().int().min(0).default(0),
  PageSize: z.coerce.number().int().min(1).max(1_000).default(50),
});

/** The carrier's codes for what is wrong with a request. */
export const ERRORS = {
  invalidParameter: 20_001,
  unauthenticated: 20_003,
  methodNotAllowed: 20_004,
  notFound: 20_404,
  tooManyRequests: 20_429,
  internal: 20_500,
  unavailable: 20_503,
  toMissing: 21_201,
  urlInvalid: 21_205,
  fromNotOwned: 21_210,
  toInvalid: 21_211,
  fromInvalid: 21_212,
  fromMissing: 21_213,
  noGeoPermission: 21_215,
  applicationInvalid: 21_218,
  callNotInProgress: 21_220,
} as const;

const BY_STATUS: ReadonlyMap<number, number> = new Map([
  [401, ERRORS.unauthenticated],
  [404, ERRORS.notFound],
  [405, ERRORS.methodNotAllowed],
  [429, ERRORS.tooManyRequests],
  [503, ERRORS.unavailable],
]);

/** Which codes go with the fields of a request: where one is not there, and where it cannot be used. */
export type FieldErrors = Readonly<Record<string, readonly [missing: number, invalid: number]>>;

/** Answers in the carrier's form. The answer to what was carried out may be lost on purpose, see `faults.ts`. */
export function send(response: Response, status: number, body: object): void {
  if (status < 300 && response.locals.loseAnswer) response.locals.loseAnswer(response);
  else response.status(status).json(body);
}

/** @param code the carrier's, where it has a better one than that of the status */
export function fail(response: Response, status: number, message: string, code?: number): void {
  const usual = BY_STATUS.get(status) ?? (status < 500 ? ERRORS.invalidParameter : ERRORS.internal);
  const number = code ?? usual;
  send(response, status, {
    code: number,
    message,
    more_info: `https://www.twilio.com/docs/errors/${number}`,
    status,
  });
}

export function notFound(request: Request, response: Response): void {
  const [path] = request.originalUrl.split('?', 1);
  fail(response, 404, `The requested resource ${path} was not found`);
}

/**
 * Answers with the page of `objects` that was asked for, and with the ways to those beside it, filters included.
 * @param name what the page calls them
 * @see carrier reference 7.1
 */
export function sendPage(request: Request, response: Response, name: string, objects: readonly object[]): void {
  const page = parse(Page, request.query, response);
  if (!page) return;
  const { Page: number, PageSize: size } = page;
  const [path, query = ''] = request.originalUrl.split('?', 2);
  const uri = (at: number): string => {
    const parameters = new URLSearchParams(query);
    parameters.set('PageSize', String(size));
    parameters.set('Page', String(at));
    return `${path}?${parameters}`;
  };
  const start = number * size;
  const shown = objects.slice(start, start + size);
  send(response, 200, {
    [name]: shown,
    page: number,
    page_size: size,
    start,
    end: start + Math.max(0, shown.length - 1),
    uri: uri(number),
    first_page_uri: uri(0),
    next_page_uri: start + size < objects.length ? uri(number + 1) : null,
    previous_page_uri: number > 0 ? uri(number - 1) : null,
  });
}

/** `given` as `schema` reads it; undefined when it was refused, with the answer sent. */
export function parse<T extends z.ZodType>(
  schema: T,
  given: object | undefined,
  response: Response,
  errors: FieldErrors = {},
): z.infer<T> | undefined {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [field = ''] = issue?.path ?? [];
  const [missing, invalid] = errors[String(field)] ?? [];
  const isMissing = !(given as JsonFields | undefined)?.[String(field)];
  const problem = isMissing
    ? `No '${String(field)}' is specified`
    : `'${String(field)}' is not valid: ${issue?.message}`;
  fail(response, 400, problem, isMissing ? missing : invalid);
  return undefined;
}
