import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { normalisePhoneNumber } from '../call/phone-number.js';
import { integer, isLoopbackHost } from '../config/settings.js';
import { type KeyPress, parseDtmfScript } from './dtmf-script.js';
import type { RunnerChoice } from './running-runners.js';
import { readSpeech } from './speech-file.js';
import { UsageError } from './usage-error.js';

/** The options of `call` as they were typed. */
export interface CallOptions {
  wav?: string;
  dtmf?: string;
  seconds?: string;
  record?: string;
  from: string;
  port?: string;
  server?: string;
  answerUrl?: string;
  json?: boolean;
}

/** One call, checked. */
export interface CallRequest {
  /** E.164; undefined for the runner's own number. */
  readonly to: string | undefined;
  readonly from: string;
  /** What the caller says: mu-law, 8000 Hz. */
  readonly speech: Uint8Array;
  readonly keys: readonly KeyPress[];
  /** The caller hangs up this long after the answer, whatever happens. */
  readonly limitMs: number;
  /** The caller also hangs up when everything is said and pressed and the bot has fallen silent. */
  readonly leavesWhenDone: boolean;
  /** Absolute path. */
  readonly recordPath: string | undefined;
  readonly runner: RunnerChoice;
  /** Call this server instead of a runner. */
  readonly answerUrl: string | undefined;
}

const DEFAULT_LIMIT_SECONDS = 120;
const MAX_LIMIT_SECONDS = 3_600;

/**
 * Checks everything typed before anything rings.
 * @throws UsageError naming every problem
 */
export function parseCallRequest(number: string | undefined, options: CallOptions, directory: string): CallRequest {
  const problems: string[] = [];
  const check = <T>(name: string, raw: string | undefined, parse: (raw: string) => T): T | undefined => {
    if (raw === undefined) return undefined;
    try {
      return parse(raw);
    } catch (error) {
      problems.push(`${name} ${raw}: ${messageOf(error)}`);
      return undefined;
    }
  };
  const to = check('number', number, phoneNumber);
  const from = check('--from', options.from, phoneNumber);
  const speech = check('--wav', options.wav, (path) => readSpeech(resolve(directory, path)));
  const keys = check('--dtmf', options.dtmf, parseDtmfScript);
  const seconds = check('--seconds', options.seconds, parseSeconds);
  const recordPath = check('--record', options.record, (path) => writablePath(resolve(directory, path)));
  const port = check('--port', options.port, integer(1, 65_535));
  const server = check('--server', options.server, loopbackUrl);
  const answerUrl = check('--answer-url', options.answerUrl, loopbackUrl);

  if (answerUrl !== undefined && (options.port ?? options.server) !== undefined) {
    problems.push('--answer-url calls a server directly and cannot be combined with --port or --server');
  }
  const limitMs = (seconds ?? DEFAULT_LIMIT_SECONDS) * 1_000;
  const lastKey = keys?.at(-1);
  if (lastKey && lastKey.atMs >= limitMs) {
    problems.push(
      `--dtmf presses its last key after ${lastKey.atMs / 1_000} s, but the call ends after ${limitMs / 1_000} s (--seconds)`,
    );
  }
  if (isNonEmpty(problems)) throw new UsageError(problems);
  return {
    to,
    from: from as string,
    speech: speech ?? new Uint8Array(0),
    keys: keys ?? [],
    limitMs,
    leavesWhenDone: seconds === undefined && (speech ?? keys) !== undefined,
    recordPath,
    runner: { port, server },
    answerUrl,
  };
}

const isNonEmpty = (list: string[]): list is [string, ...string[]] => list.length > 0;

function messageOf(error: unknown): string {
  const { message, hint } = error as Error & { hint?: string };
  return hint ? `${message}. ${hint}` : message;
}

function phoneNumber(raw: string): string {
  const number = normalisePhoneNumber(raw);
  if (number.startsWith('+')) return number;
  throw new Error('not a telephone number such as +12025550100');
}

function parseSeconds(raw: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) : Number.NaN;
  if (seconds > 0 && seconds <= MAX_LIMIT_SECONDS) return seconds;
  throw new Error(`must be above 0 and at most ${MAX_LIMIT_SECONDS}`);
}

function writablePath(path: string): string {
  if (existsSync(dirname(path))) return path;
  throw new Error('its folder does not exist');
}

function loopbackUrl(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (url && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname)) return url.href;
  throw new Error('must be an http address on this machine, such as http://127.0.0.1:8000/answer');
}
