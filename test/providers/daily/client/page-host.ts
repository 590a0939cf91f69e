import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { Browser, type BrowserOptions } from '../../../../src/providers/daily/client/browser.js';
import { processes, until } from '../../../e2e/processes.js';

/** Serves pages to a browser, and hears what their scripts tell. */
export class PageHost implements AsyncDisposable {
  readonly told: { readonly page: string; readonly what: string }[] = [];
  readonly #server: Server;

  static async start(): Promise<PageHost> {
    const host = new PageHost();
    host.#server.listen(0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  readonly #scripts = new Map<string, string>();

  private constructor() {
    this.#server = createServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      const what = searchParams.get('told');
      if (what !== null) this.told.push({ page: pathname, what });
      response.setHeader('content-type', 'text/html');
      response.end(`<script type="module">
        const tell = (what) => fetch(location.pathname + '?told=' + encodeURIComponent(what));
        ${what === null ? (this.#scripts.get(pathname) ?? '') : ''}
        tell('open');
      </script>`);
    });
  }

  /** The address of a page of this name that runs this script: it may await, and `tell(text)`. */
  url(name: string, script = ''): string {
    this.#scripts.set(`/${name}`, script);
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  toldBy(name: string): string[] {
    return this.told.filter(({ page }) => page === `/${name}`).map(({ what }) => what);
  }

  async tells(name: string, what: string | RegExp = 'open'): Promise<void> {
    const has = () => this.toldBy(name).some((told) => (typeof what === 'string' ? told === what : what.test(told)));
    await until(has, `${name} tells ${what}, not only ${JSON.stringify(this.toldBy(name))}`, 20_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

export const browserOf = (options: Partial<BrowserOptions> = {}): Browser =>
  new Browser({ environment: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }, ...options });

/** The folders that browsers of this process have. */
export const foldersOf = (pid = process.pid, directory = tmpdir()): string[] =>
  readdirSync(directory).filter((name) => name.startsWith(`voicebot-browser-${pid}-`));

/** The processes of browsers that a process has started: their first ones. */
export const browsersOf = (pid = process.pid): number[] => {
  const all = processes();
  const named = all.filter(({ command }) => command.includes(`voicebot-browser-${pid}-`));
  return named
    .filter(({ pid: one, group }) => one === group && !/crashpad/.test(commandOf(all, one)))
    .map((one) => one.pid);
};

/** All processes of such browsers. */
export function allProcessesOf(pid = process.pid): number[] {
  const all = processes();
  const leaders = new Set(browsersOf(pid));
  const isOne = ({ group, command }: { group: number; command: string }) =>
    leaders.has(group) || command.includes(`voicebot-browser-${pid}-`);
  return all.filter(isOne).map((one) => one.pid);
}

/** The processes that show pages of the browser with this group. */
export const renderersOf = (group: number): number[] =>
  processes()
    .filter((one) => one.group === group && /--type=renderer/.test(one.command) && !/top-chrome/.test(one.command))
    .map(({ pid }) => pid);

const commandOf = (all: ReturnType<typeof processes>, pid: number) => all.find((one) => one.pid === pid)?.command ?? '';

/** TCP ports that these processes listen on. */
export function portsOf(pids: readonly number[]): number[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  const tables = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, 'utf8').trim().split('\n').slice(1),
  );
  return tables.flatMap((row) => {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    const port = Number.parseInt(local.split(':')[1] ?? '', 16);
    return state === '0A' && sockets.has(inode) ? [port] : [];
  });
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(pid, fd))?.[1] ?? []);
  } catch {
    return []; // it has ended
  }
}

function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}
