import { isFields, type JsonFields } from '../base/http/json-fields.js';
import { unlessNotFound } from '../base/http/provider-request-error.js';
import type { RestClient } from '../base/http/rest-client.js';

/** Where a carrier's answers have what was asked for, and how it gives its lists page by page. */
export interface AnswerForm {
  /** The member that is the object; undefined where it is the whole answer. */
  readonly object?: string;
  /** The member that is the list. */
  readonly objects: string;
  readonly maxPages: number;
  /** Asks for a page, counted from 1; `before` is how many objects the pages before it had. */
  query(page: number, before: number): Readonly<Record<string, string>>;
  /** Whether another page follows. */
  goesOn(answer: JsonFields, page: number): boolean;
}

/** @param member see {@link AnswerForm.object} */
export function objectIn(answer: JsonFields | undefined, member: string | undefined): JsonFields | undefined {
  const object = member === undefined ? answer : answer?.[member];
  return isFields(object) ? object : undefined;
}

/**
 * @param member see {@link AnswerForm.object}
 * @returns undefined for a 404
 */
export async function readObject(
  api: RestClient,
  what: string,
  path: string,
  signal?: AbortSignal,
  member?: string,
): Promise<JsonFields | undefined> {
  const answer = await unlessNotFound(api.request(what, { method: 'GET', path }, signal));
  if (!answer) return undefined;
  const { status, fields } = answer;
  const object = objectIn(fields, member);
  if (object) return object;
  const problem =
    member === undefined ? `status ${status}: the answer is not a JSON object` : 'an answer without an object';
  throw api.stranger(`${what} got ${problem}`, status);
}

/** All objects of a list. */
export function listObjects(
  api: RestClient,
  { objects: member, maxPages, query, goesOn }: AnswerForm,
  what: string,
  path: string,
  filter: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<JsonFields[]> {
  let page = 1;
  let before = 0;
  const pagePath = () => `${path}?${new URLSearchParams({ ...filter, ...query(page, before) })}`;
  const readPage = (answer: JsonFields | undefined) => {
    const objects = answer?.[member];
    if (!answer || !Array.isArray(objects)) throw api.stranger(`${what} got an answer without a list`);
    const isLast = objects.length === 0 || !goesOn(answer, page);
    page += 1;
    before += objects.length;
    return { items: objects.filter(isFields), next: isLast ? undefined : pagePath() };
  };
  return api.list(what, { path: pagePath(), maxPages }, readPage, signal);
}
