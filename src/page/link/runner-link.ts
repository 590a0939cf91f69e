import { type ServerSentEvent, ServerSentEvents } from '../../base/http/event-stream.js';

/** The runner wants its token. */
export class Locked extends Error {}
/** There is nothing at this address. */
export class NotThere extends Error {}
/** The runner has answered, with neither what was asked for nor a reason that the page knows. */
export class Unshown extends Error {}

/** A tab keeps the token, and no address shows it. */
const TOKEN_KEY = 'voicebot-token';
const ANSWER_LIMIT_MS = 10_000;
/** The runner writes a heartbeat every 15 s. */
const SILENCE_LIMIT_MS = 40_000;
/** What a proxy says when the runner is not there (RFC 9110 section 15.6). */
const IN_ITS_PLACE = new Set([502, 503, 504]);
const FRAME_MS = 16;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

const TOKEN_HASH = /^#token=(.+)$/;

/** Whether the address brings the runner's token. */
export const hasToken = (): boolean => TOKEN_HASH.test(location.hash);

/** What the page knows of the runner's token: what stood behind the `#` of its address, or what the user has typed. */
export function takeToken(): string | undefined {
  const [, token] = TOKEN_HASH.exec(location.hash) ?? [];
  if (token === undefined) return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
  history.replaceState(null, '', '#/');
  return keepToken(decodeURIComponent(token));
}

export function keepToken(token: string): string {
  sessionStorage.setItem(TOKEN_KEY, token);
  return token;
}

/** Where the runner is asked: it may be below a path of an application's server, as the page is. @param path from its first slash on */
export const atRunner = (path: string): string => `.${path}`;

/** The headers of a request to the runner. */
export const headersOf = (token: string | undefined): Record<string, string> =>
  token ? { authorization: `Bearer ${token}` } : {};

/**
 * Asks the runner for something.
 * @throws Locked, NotThere, Unshown, and what `fetch` throws
 */
export async function ask(path: string, token: string | undefined, signal?: AbortSignal): Promise<Response> {
  const signals = signal ? [signal] : [];
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('the runner does not answer')), ANSWER_LIMIT_MS);
  try {
    const response = await fetch(atRunner(path), {
      headers: headersOf(token),
      signal: AbortSignal.any([limit.signal, ...signals]),
    });
    if (response.status === 401) throw new Locked('the runner wants its token');
    if (response.status === 404) throw new NotThere(`there is nothing at ${path}`);
    if (IN_ITS_PLACE.has(response.status)) throw new Error(`the runner does not answer: HTTP ${response.status}`);
    if (!response.ok) throw new Unshown(`${path}: HTTP ${response.status}`);
    return response;
  } finally {
    clearTimeout(timer);
  }
}

export async function askJson<Answer>(path: string, token: string | undefined, signal?: AbortSignal): Promise<Answer> {
  return await (await ask(path, token, signal)).json();
}

/**
 * The same, asked again until the runner answers with it.
 * @throws Locked, NotThere, and why `signal` was aborted
 */
export async function askJsonPatiently<Answer>(
  path: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await askJson<Answer>(path, token, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Locked || error instanceof NotThere) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** Does once what is wanted many times within a frame: events come in crowds, and each crowd is drawn once. */
export function atOnce(act: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      act();
    }, FRAME_MS);
  };
}

/** How a stream of events is doing. */
export type LinkState = 'connecting' | 'open' | 'gone' | 'locked' | 'not_there' | 'over';

export interface LinkOptions {
  readonly token: string | undefined;
  readonly onEvent: (event: ServerSentEvent) => void;
  readonly onState: (state: LinkState) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Follows a stream of server-sent events, and connects again when it breaks, after pauses that grow. An event named `end` is the last.
 * `fetch` and not `EventSource`, which can send no token.
 */
export async function follow(path: string, { token, onEvent, onState, signal }: LinkOptions): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  let lastId = '';
  onState('connecting');
  while (!signal.aborted) {
    try {
      const headers = { accept: 'text/event-stream', ...headersOf(token), ...(lastId && { 'last-event-id': lastId }) };
      for await (const event of eventsOf(path, headers, signal, () => onState('open'))) {
        pauseMs = FIRST_PAUSE_MS;
        lastId = event.id;
        if (event.event === 'end') return onState('over');
        onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Locked) return onState('locked');
      if (error instanceof NotThere) return onState('not_there');
    }
    if (signal.aborted) return;
    onState('gone');
    await pause(pauseMs, signal);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}

/** Ends when the stream does; throws when it breaks, or is silent for longer than the runner ever is. */
async function* eventsOf(
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  opened: () => void,
): AsyncGenerator<ServerSentEvent> {
  const silence = new AbortController();
  const watch = () => setTimeout(() => silence.abort(new Error('the runner is silent')), SILENCE_LIMIT_MS);
  let timer = watch();
  try {
    const response = await fetch(atRunner(path), { headers, signal: AbortSignal.any([signal, silence.signal]) });
    if (response.status === 401) throw new Locked('the runner wants its token');
    if (response.status === 404) throw new NotThere(`there is nothing at ${path}`);
    if (!response.ok || !response.body) throw new Error(`${path}: HTTP ${response.status}`);
    opened();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const events = new ServerSentEvents();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = watch();
      yield* events.read(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Also over when the tab is shown again, or the machine is back on its network: a user who looks waits for no pause. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const done = () => {
      over.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { signal: over.signal });
    addEventListener('online', done, { signal: over.signal });
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && done(), {
      signal: over.signal,
    });
  });
}
