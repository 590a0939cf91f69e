import { randomUUID } from 'node:crypto';
import { timeLimit } from '../base/async/time-limit.js';
import { cleanText } from '../base/clean-text.js';
import { ERROR_SUMMARIES, type ErrorCode, VoicebotError } from '../base/errors.js';
import { ServerSentEvents } from '../base/http/event-stream.js';
import type { PlacedCall } from '../call/placed-call.js';
import type { TimelineEvent } from '../call/timeline.js';

export interface CallToStart {
  /** E.164. */
  readonly to: string;
  /** Where the callee is, as IANA names the zone. Default: where the number may be. */
  readonly timeZone?: string | undefined;
  /** Custom data for the bot. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Custom parameters of the media stream's address. */
  readonly query: Readonly<Record<string, string>>;
}

export interface CallStarted {
  readonly callId: string;
  /** The carrier's identifier, where it has given one by now. */
  readonly carrierCallId: string | undefined;
  /** What the runner's configuration lacks. */
  readonly warnings: readonly string[];
}

/** A runner answers `/start` when the carrier has taken the call, which may include waiting as the carrier asks. */
const START_DEADLINE_MS = 60_000;
const READ_DEADLINE_MS = 5_000;
/** Of what a runner says, in characters. */
const MAX_WORDS = 1_000;

/** What fails before a request leaves this machine, besides connecting: names, certificates. */
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_(TLS|SSL)_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

/** What `fetch` says of a port that the Fetch standard blocks, such as 6000. */
const BAD_PORT = 'bad port';

interface RunnerAnswer {
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly json: unknown;
  readonly isEmpty: boolean;
}

export interface AskOptions {
  /** What to send. Default: nothing is sent, and something is read. */
  readonly body?: unknown;
  /** Names the request, so that it is carried out once however often it is sent. */
  readonly idempotencyKey?: string;
  /** How long the runner may take, in milliseconds. Default 5000. */
  readonly limitMs?: number;
}

/** Asks a runner over its HTTP addresses. */
export class RunnerClient {
  readonly #headers: Record<string, string>;

  /**
   * @param url address of its server, without a trailing slash
   * @param token shown with every request
   */
  constructor(
    readonly url: string,
    token: string | undefined,
  ) {
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /**
   * Has a number dialled. When the connection is lost the request is sent once more under the same idempotency key, so
   * that the number rings once.
   * @throws VoicebotError with the code, message and hint of the runner's refusal; VB_RUNNER_NOT_FOUND when nothing can
   *   have been dialled; VB_CALL_UNCERTAIN when the number may have been dialled or not
   */
  async start({ to, timeZone, body, query }: CallToStart): Promise<CallStarted> {
    const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : '';
    const headers = { ...this.#headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const asked = { phone_number: to, time_zone: timeZone, body };
    const request = { method: 'POST', headers, body: JSON.stringify(asked) };
    const { status, json } = await this.#sendTwice(() => this.#fetch(`/start${search}`, request, START_DEADLINE_MS));
    const { call_id: callId, carrier_call_id: legId, warnings } = (json ?? {}) as Record<string, unknown>;
    if (status === 202 && typeof callId === 'string') {
      return {
        callId,
        carrierCallId: typeof legId === 'string' ? legId : undefined,
        warnings: Array.isArray(warnings) ? warnings.map(String) : [],
      };
    }
    throw (
      problemIn(json) ?? (status >= 500 ? uncertain(`${this.url} answered HTTP ${status}`) : this.#noRunner(status))
    );
  }

  /**
   * Its calls, newest first: the live ones and the most recent ended ones.
   * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_DEADLINE_EXCEEDED, VB_UNAUTHORISED
   */
  async calls(): Promise<readonly PlacedCall[]> {
    return (await this.callList()).calls;
  }

  /**
   * The same, with whether those of the other runners of its cluster are among them.
   * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_DEADLINE_EXCEEDED, VB_UNAUTHORISED
   */
  async callList(): Promise<{ calls: readonly PlacedCall[]; isWhole: boolean }> {
    const answer = await this.#read('/calls');
    const { status, json } = answer;
    const { calls, isWhole = true } = (json ?? {}) as { calls?: unknown; isWhole?: unknown };
    if (status === 200 && Array.isArray(calls)) return { calls, isWhole: isWhole !== false };
    throw problemIn(json) ?? this.#refusal(answer);
  }

  /**
   * One call; undefined when the runner does not know it.
   * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_DEADLINE_EXCEEDED, VB_UNAUTHORISED
   */
  async call(id: string): Promise<PlacedCall | undefined> {
    if (/^\.{1,2}$/.test(id)) return undefined; // in an address these lead somewhere else
    const answer = await this.#read(`/calls/${encodeURIComponent(id)}`);
    const { status, json } = answer;
    if (status === 200 && (json as { id?: unknown } | undefined)?.id !== undefined) return json as PlacedCall;
    const problem = problemIn(json);
    if (status === 404 && problem?.code === 'VB_REQUEST_INVALID') return undefined;
    throw problem ?? this.#refusal(answer);
  }

  /**
   * The bot's number, E.164; undefined where it has none.
   * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_DEADLINE_EXCEEDED, VB_UNAUTHORISED
   */
  async number(): Promise<string | undefined> {
    const { json } = await this.#read('/status');
    const { number } = Object(json) as { number?: unknown };
    return typeof number === 'string' ? number : undefined;
  }

  /**
   * Whether stand-ins serve its calls.
   * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_DEADLINE_EXCEEDED, VB_UNAUTHORISED
   */
  async hasStandIns(): Promise<boolean> {
    const { json } = await this.#read('/status');
    return (json as { standIns?: unknown } | undefined)?.standIns === true;
  }

  /**
   * Tells the bot of a call what its caller is taken to have said.
   * @throws VoicebotError with what the runner refuses it with; VB_RUNNER_NOT_FOUND, VB_DEADLINE_EXCEEDED
   */
  async type(callId: string, text: string): Promise<void> {
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify({ text }) };
    const answer = await this.#read(`/calls/${encodeURIComponent(callId)}/typed`, request);
    if (answer.status !== 202) throw problemIn(answer.json) ?? this.#refusal(answer);
  }

  /**
   * Sends JSON, or reads, and answers with the JSON of the answer.
   * @throws VoicebotError with what the runner refuses; VB_RUNNER_NOT_FOUND, VB_DEADLINE_EXCEEDED, VB_UNAUTHORISED
   */
  async ask(path: string, { body, idempotencyKey, limitMs }: AskOptions = {}): Promise<unknown> {
    const headers = {
      ...this.#headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await this.#read(path, { ...sent, headers }, limitMs);
    if (answer.status >= 200 && answer.status < 300) return answer.json;
    throw problemIn(answer.json) ?? this.#refusal(answer);
  }

  /**
   * Tells what has happened in a call so far and what happens, until nothing more will come.
   * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_UNAUTHORISED; what the connection breaks with; AbortError
   */
  async follow(callId: string, onEvent: (event: TimelineEvent) => void, signal: AbortSignal): Promise<void> {
    const address = `${this.url}/calls/${encodeURIComponent(callId)}/events`;
    const response = await fetch(address, { headers: this.#headers, redirect: 'manual', signal });
    if (response.status !== 200 || !response.body) {
      const text = await response.text();
      const answer = { status: response.status, json: parseJson(text), isEmpty: text === '' };
      throw problemIn(answer.json) ?? this.#refusal(answer);
    }
    const events = new ServerSentEvents();
    const decoder = new TextDecoder();
    for await (const piece of response.body) {
      for (const { event, data } of events.read(decoder.decode(piece, { stream: true }))) {
        if (event === 'message') onEvent(JSON.parse(data));
        if (event === 'end') return;
      }
    }
  }

  async #sendTwice(send: () => Promise<RunnerAnswer>): Promise<RunnerAnswer> {
    try {
      return await send();
    } catch (error) {
      if (isNotSent(error as Error)) throw this.#unreachable(error);
      if (isLate(error)) throw uncertain(`the runner did not answer within ${START_DEADLINE_MS / 1_000} s`, error);
      return await send().catch((again: unknown) => {
        throw uncertain('the connection to the runner was lost before it answered', again);
      });
    }
  }

  async #read(
    path: string,
    request: RequestInit = { headers: this.#headers },
    limitMs = READ_DEADLINE_MS,
  ): Promise<RunnerAnswer> {
    try {
      return await this.#fetch(path, request, limitMs);
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  async #fetch(path: string, request: RequestInit, limitMs: number): Promise<RunnerAnswer> {
    // A redirect would take the token, and the call, somewhere else.
    const options: RequestInit = { ...request, redirect: 'manual', signal: timeLimit(limitMs) };
    const response = await fetch(this.url + path, options);
    const text = await response.text();
    return { status: response.status, json: parseJson(text), isEmpty: text === '' };
  }

  #unreachable(cause: unknown): VoicebotError {
    if (isLate(cause)) {
      return new VoicebotError(
        'VB_DEADLINE_EXCEEDED',
        `${this.url} did not answer within ${READ_DEADLINE_MS / 1_000} s`,
        {
          hint: 'Try again: the runner or its machine may be busy. Check the address if it stays so.',
          cause,
        },
      );
    }
    const why = codeOf(cause) || 'connection lost';
    return new VoicebotError('VB_RUNNER_NOT_FOUND', `${this.url} was not reached (${why})`, {
      hint: 'Check the address and that the runner is up; start one here: npx voicebot run --sandbox',
      cause,
    });
  }

  /** Strangers are not told that these addresses exist. */
  #refusal({ status, isEmpty }: RunnerAnswer): VoicebotError {
    if (status !== 404 || !isEmpty) return this.#noRunner(status);
    return new VoicebotError('VB_UNAUTHORISED', `${this.url} shows its calls only to requests with its token`, {
      hint: 'Set VOICEBOT_TOKEN to the token of the runner there.',
    });
  }

  #noRunner(status: number): VoicebotError {
    return new VoicebotError('VB_RUNNER_NOT_FOUND', `${this.url} answers with HTTP ${status}, not as a runner does`, {
      hint: 'Check the address, and that VOICEBOT_TOKEN is the token of the runner there.',
    });
  }
}

const uncertain = (detail: string, cause?: unknown) =>
  new VoicebotError('VB_CALL_UNCERTAIN', detail, { hint: 'Look before you dial again: npx voicebot calls', cause });

/** What a runner refuses it explains as `{ error: { code, message, hint? } }`. */
function problemIn(json: unknown): VoicebotError | undefined {
  const { code, message, hint } = ((json as { error?: unknown } | undefined)?.error ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || !Object.hasOwn(ERROR_SUMMARIES, code) || typeof message !== 'string')
    return undefined;
  const known = { code: code as ErrorCode, message: cleanText(message, MAX_WORDS) };
  return VoicebotError.revive({ ...known, hint: typeof hint === 'string' ? cleanText(hint, MAX_WORDS) : undefined });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The system's or the HTTP client's word for what went wrong; empty when there is none. */
function codeOf(error: unknown): string {
  const { code, message } = ((error as Error).cause ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : message === BAD_PORT ? message : '';
}

/** Each attempt counts: a name with several addresses is connected to one after another. */
function isNotSent({ cause }: { cause?: unknown }): boolean {
  const { errors = [cause] } = (cause ?? {}) as { errors?: unknown[] };
  return errors.every((attempt) => {
    const { syscall, code, message } = (attempt ?? {}) as { syscall?: unknown; code?: unknown; message?: unknown };
    return syscall === 'connect' || NOT_SENT.test(String(code)) || message === BAD_PORT;
  });
}

const isLate = (error: unknown) => (error as Error).name === 'TimeoutError';
