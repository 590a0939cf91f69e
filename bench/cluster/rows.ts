import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** What became of the requests for the rows of a list. */
export interface RowsPlaced {
  /** Numbers whose call was accepted. */
  readonly accepted: readonly string[];
  /** Numbers that were given up, with the last answer. */
  readonly given: ReadonlyMap<string, string>;
  /** How often each answer came. */
  readonly answers: ReadonlyMap<string, number>;
}

const REQUESTS_AT_ONCE = 20;
/** Before a row is asked for once more, in milliseconds; a shorter wait than the runner names would be refused again. */
const AGAIN_MS = 1_000;
/** How long a row is asked for again and again, in milliseconds. */
const ROW_LIMIT_MS = 300_000;
const REQUEST_LIMIT_MS = 15_000;
/** The next request may find a runner that takes it. */
const PASSES = /^(?:no answer|429|502|503|504)/;
/** Nobody knows whether the call was placed: to ask again could dial twice. */
const UNCERTAIN = /VB_CALL_UNCERTAIN/;

/** Numbers that answer and talk in the sandbox. */
const numberOf = (row: number): string => `+1${5_551_002_000 + row}`;

/** Asks for each row until it is accepted or refused for good. */
export async function placeRows(url: string, token: string, rows: number): Promise<RowsPlaced> {
  const accepted: string[] = [];
  const given = new Map<string, string>();
  const answers = new Map<string, number>();
  const left = Array.from({ length: rows }, (_, row) => numberOf(row)).values();
  const one = async (number: string) => {
    const key = randomUUID();
    const limit = performance.now() + ROW_LIMIT_MS;
    for (;;) {
      const { answer, waitMs } = await start(url, token, key, number);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (answer === '202') return accepted.push(number);
      const isOver = !PASSES.test(answer) || UNCERTAIN.test(answer) || performance.now() > limit;
      if (isOver) return given.set(number, answer);
      await delay(waitMs);
    }
  };
  const inTurn = async () => {
    for (const number of left) await one(number);
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, inTurn));
  return { accepted, given, answers };
}

/** @returns the status, and the code of the problem where there was one */
async function start(
  url: string,
  token: string,
  key: string,
  number: string,
): Promise<{ answer: string; waitMs: number }> {
  try {
    const response = await fetch(`${url}/start`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ phone_number: number }),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    const code = /"code":"(VB_\w+)"/.exec(await response.text())?.[1];
    const waitMs = Math.max(AGAIN_MS, 1_000 * Number(response.headers.get('retry-after') ?? 0));
    return { answer: code ? `${response.status} ${code}` : `${response.status}`, waitMs };
  } catch {
    return { answer: 'no answer', waitMs: AGAIN_MS };
  }
}
