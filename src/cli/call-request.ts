import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { normalisePhoneNumber } from '../call/phone-number.js';
import { integer, isLoopbackHost, phoneNumber } from '../config/settings.js';
import { type KeyPress, parseDtmfScript } from './dtmf-script.js';
import type { RunnerChoice } from './running-runners.js';
import { readSpeech } from './speech-file.js';
import { TypedOptions } from './typed-options.js';

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
  const typed = new TypedOptions();
  const to = typed.check('number', number, (raw) => phoneNumber(normalisePhoneNumber(raw)));
  const from = typed.check('--from', options.from, (raw) => phoneNumber(normalisePhoneNumber(raw)));
  const speech = typed.check('--wav', options.wav, (path) => readSpeech(resolve(directory, path)));
  const keys = typed.check('--dtmf', options.dtmf, parseDtmfScript);
  const seconds = typed.check('--seconds', options.seconds, parseSeconds);
  const recordPath = typed.check('--record', options.record, (path) => writablePath(resolve(directory, path)));
  const port = typed.check('--port', options.port, integer(1, 65_535));
  const server = typed.check('--server', options.server, loopbackUrl);
  const answerUrl = typed.check('--answer-url', options.answerUrl, loopbackUrl);

  if (answerUrl !== undefined && (options.port ?? options.server) !== undefined) {
    typed.refuse('--answer-url calls a server directly and cannot be combined with --port or --server');
  }
  const limitMs = (seconds ?? DEFAULT_LIMIT_SECONDS) * 1_000;
  const lastKey = keys?.at(-1);
  if (lastKey && lastKey.atMs >= limitMs) {
    typed.refuse(
      `--dtmf presses its last key after ${lastKey.atMs / 1_000} s, but the call ends after ${limitMs / 1_000} s (--seconds)`,
    );
  }
  typed.throwIfRefused();
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
