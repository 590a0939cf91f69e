import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { phoneNumber } from '../../config/settings.js';
import { RESERVED_PARAMETERS } from '../../runner/dialing/call-tickets.js';
import {
  MAX_BODY_BYTES,
  MAX_PARAMETER_LENGTH,
  MAX_PARAMETERS,
  MAX_QUERY_LENGTH,
  PARAMETER_NAME,
} from '../../runner/dialing/start-request.js';
import { timeZoneProblem } from '../../runner/dialing/time-zone-problem.js';
import { checkRunnerChoice } from '../../runners/runner-address.js';
import type { CallToStart } from '../../runners/runner-client.js';
import type { RunnerChoice } from '../../runners/running-runners.js';
import { TypedOptions } from '../../terminal/typed-options.js';

/** One call to place, checked. */
export interface DialRequest extends CallToStart {
  readonly runner: RunnerChoice;
  /** Follow the call to its end. */
  readonly waits: boolean;
}

/**
 * Checks everything typed before anything is sent. Whether the number may be called is for the runner to say.
 * @param stdin what came on standard input, for `--body @-`
 * @throws UsageError naming every problem
 */
export function parseDialRequest(
  number: string,
  options: DialOptions,
  directory: string,
  stdin: string | undefined,
): DialRequest {
  const typed = new TypedOptions();
  const to = typed.check('number', number, phoneNumber);
  const body = typed.check('--body', options.body, (raw) => customData(stdin ?? textOf(raw, directory)));
  const timeZone = typed.check('--time-zone', options.timeZone, checkedTimeZone);
  const { query: parameters = [] } = options;
  const query: Record<string, string> = {};
  for (const raw of parameters) {
    const [name, value] = typed.check('--query', raw, parameter) ?? [];
    if (name === undefined || value === undefined) continue;
    if (Object.hasOwn(query, name)) typed.refuse(`--query ${raw}: ${name} is there more than once`);
    query[name] = value;
  }
  if (parameters.length > MAX_PARAMETERS) typed.refuse(`--query may be given at most ${MAX_PARAMETERS} times`);
  const { length } = String(new URLSearchParams(query));
  if (length > MAX_QUERY_LENGTH) {
    typed.refuse(
      `--query: together they have ${length} characters in an address; at most ${MAX_QUERY_LENGTH} are allowed`,
    );
  }
  const runner = checkRunnerChoice(typed, options);
  typed.throwIfRefused();
  return { to: to as string, timeZone, body, query, runner, waits: options.wait ?? false };
}

function textOf(raw: string, directory: string): string {
  return raw.startsWith('@') ? read(resolve(directory, raw.slice(1))) : raw;
}

function customData(text: string): Record<string, unknown> {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('must be a JSON object, such as {"user":{"firstName":"Ada"}}');
  }
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > MAX_BODY_BYTES) throw new Error(`has ${bytes} bytes as JSON; at most ${MAX_BODY_BYTES} are allowed`);
  return value as Record<string, unknown>;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(isMissing ? 'there is no such file' : `cannot be read (${(error as Error).message})`);
  }
}

function checkedTimeZone(name: string): string {
  const problem = timeZoneProblem(name);
  if (problem === undefined) return name;
  throw new Error(problem);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is not JSON (${(error as Error).message})`);
  }
}

function parameter(raw: string): readonly [name: string, value: string] {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(raw) ?? [];
  if (!PARAMETER_NAME.test(name)) {
    throw new Error('must be name=value; the name in small letters, digits and "_", such as campaign_id=7');
  }
  if (RESERVED_PARAMETERS.has(name)) throw new Error(`${name} is a name that voicebot's own addresses use`);
  if (value.length > MAX_PARAMETER_LENGTH) throw new Error(`its value may have ${MAX_PARAMETER_LENGTH} characters`);
  return [name, value];
}

/** The options of `dialout` as they were typed. */
export interface DialOptions {
  body?: string;
  timeZone?: string;
  query?: readonly string[];
  port?: string;
  server?: string;
  wait?: boolean;
  json?: boolean;
}
