import { type ChildProcess, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { createInterface } from 'node:readline';
import { settlesWithin } from '../../base/async/deadline.js';
import { deferred } from '../../base/async/deferred.js';
import { cleanText } from '../../base/clean-text.js';
import { killGroup } from '../../base/process/kill-group.js';
import { publicOrigin, tunnelFailure } from './tunnel-failure.js';

/** cloudflared prints the address in a box: `|  https://some-words.trycloudflare.com  |`. */
const BOXED_ADDRESS = /\|\s+(https?:\/\/\S+)\s+\|/;
/** A look-up of the name before this line makes the resolver cache that the name does not exist. */
const IS_CONNECTED = /\bregistered\b/i;
const CONNECTED_WITHIN_MS = 5_000;

/**
 * Ends the program when we end, however we end: its own input breaks off then. It must not be our child directly, which
 * a `kill -9` of ours would leave behind.
 */
const KEEPER = '"$@" & child=$!; exec 2>/dev/null; cat >/dev/null; kill "$child"; wait "$child"';

/**
 * How a program is started that ends when we end, and that Ctrl+C in our terminal does not reach: the runner ends the calls first. Elsewhere
 * than on Windows a process group of its own sees to the latter. On Windows it has a hidden console of its own, and the system ends it with
 * us as long as it is not detached.
 */
export function keptCommand([program = '', ...words]: readonly string[], platform: NodeJS.Platform) {
  if (platform === 'win32') return { file: program, args: words, how: { detached: false, windowsHide: true } };
  return { file: '/bin/sh', args: ['-c', KEEPER, 'sh', program, ...words], how: { detached: true } };
}

/** A `cloudflared` process, which chooses a public name and leads it to a port of this machine. */
export class CloudflaredProcess {
  readonly #child: ChildProcess;
  readonly #url = deferred<string>();
  readonly #connected = deferred();
  readonly #lost = deferred<string>();
  readonly #exited = deferred();
  #lastWords = '';
  #isClosing = false;

  constructor(
    program: string,
    port: number,
    environment: Readonly<Record<string, string>>,
    private readonly closeWithinMs: number,
  ) {
    // An empty configuration: with the user's own configuration cloudflared opens no quick tunnel.
    const options = ['--config', devNull, '--no-autoupdate', '--grace-period', '1s'];
    const command = [program, 'tunnel', ...options, '--url', `http://127.0.0.1:${port}`];
    const { file, args, how } = keptCommand(command, process.platform);
    this.#child = spawn(file, args, { ...how, env: environment, stdio: ['pipe', 'ignore', 'pipe'] });
    this.#child.on('error', (error) => this.#end(error.message));
    this.#child.once('exit', () => this.#exited.resolve());
    this.#child.stdin?.on('error', () => {});
    const lines = createInterface({ input: this.#child.stderr as NonNullable<ChildProcess['stderr']> });
    lines.on('line', (line) => this.#read(line));
    lines.once('close', () => this.#end(this.#lastWords || 'it ended without a word'));
  }

  /** Resolves with the last line of its output when the program ends by itself. */
  get lost(): Promise<string> {
    return this.#lost.promise;
  }

  /** @returns the public address, once it leads to this machine @throws VoicebotError VB_TUNNEL_FAILED */
  async ready(signal: AbortSignal): Promise<string> {
    const aborted = deferred<never>();
    const giveUp = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      signal.throwIfAborted();
      const url = await Promise.race([this.#url.promise, aborted.promise]);
      await Promise.race([settlesWithin(this.#connected.promise, CONNECTED_WITHIN_MS), aborted.promise]);
      return url;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Resolves when the program has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#connected.resolve();
    const { pid, stdin } = this.#child;
    if (pid === undefined) return;
    stdin?.end();
    if (process.platform === 'win32') this.#child.kill();
    if (await settlesWithin(this.#exited.promise, this.closeWithinMs)) return;
    killGroup(this.#child);
    await this.#exited.promise;
  }

  #read(line: string): void {
    const [, address] = BOXED_ADDRESS.exec(line) ?? [];
    if (address !== undefined) {
      const url = publicOrigin(address);
      if (url === undefined) this.#url.reject(tunnelFailure('cloudflared', 'it gave an address that is not https'));
      else this.#url.resolve(url);
    }
    if (IS_CONNECTED.test(line)) this.#connected.resolve();
    // `2026-01-01T00:00:00Z ERR what happened`
    const words = line.replace(/^\S+Z (?:INF|WRN|ERR|FTL) /, '').trim();
    if (words !== '') this.#lastWords = cleanText(words, 300);
  }

  #end(words: string): void {
    this.#child.stdin?.end();
    if (this.#isClosing) return;
    this.#url.reject(tunnelFailure('cloudflared', `it ended: ${words}`));
    this.#connected.resolve();
    this.#lost.resolve(`cloudflared ended: ${words}`);
  }
}
