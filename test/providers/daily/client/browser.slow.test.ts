import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from '../../../../src/providers/daily/client/browser.js';
import type { OpenPage } from '../../../../src/providers/daily/client/pages.js';
import { TemporaryFolder } from '../../../call/folder/recorded-line.js';
import { until } from '../../../e2e/processes.js';
import { allProcessesOf, browserOf, browsersOf, foldersOf, PageHost, portsOf, renderersOf } from './page-host.js';

const KEEPER = fileURLToPath(new URL('keeper.mjs', import.meta.url));

let host: PageHost;
let browser: Browser;
beforeAll(async () => {
  host = await PageHost.start();
});
afterAll(() => host[Symbol.asyncDispose]());

/** The one browser that runs. */
const leader = (): number => {
  const [only, ...others] = browsersOf();
  expect(others).toEqual([]);
  return only as number;
};

async function nothingIsLeft(): Promise<void> {
  await until(() => allProcessesOf().length === 0 && foldersOf().length === 0, 'no process and no folder is left');
}

describe('a browser that is kept', () => {
  const pages: OpenPage[] = [];
  let home: string;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'voicebot-home-'));
    browser = browserOf({ environment: { PATH: process.env.PATH ?? '', HOME: home } });
    process.env.ROOMS_API_KEY = 'secret-of-the-account';
    try {
      await browser.start();
    } finally {
      delete process.env.ROOMS_API_KEY;
    }
  }, 30_000);
  afterEach(async () => {
    for (const page of pages) page.close();
    await Promise.all(pages.splice(0).map(({ gone }) => gone));
  });
  afterAll(async () => {
    await browser.close();
    expect(readdirSync(home, { recursive: true })).toEqual([]);
    rmSync(home, { recursive: true });
    await nothingIsLeft();
  });

  async function open(name: string, script = ''): Promise<OpenPage> {
    const page = await browser.open(host.url(name, script));
    pages.push(page);
    return page;
  }

  test('runs before a page is opened, once, however many ask', async () => {
    const pid = leader();
    const both = await Promise.all([open('first'), open('second')]);
    await host.tells('first');
    await host.tells('second');
    expect(browser.pageCount).toBe(2);
    for (const page of both) page.close();
    await Promise.all(both.map(({ gone }) => gone));
    expect(browser.pageCount).toBe(0);
    expect(leader()).toBe(pid); // it does not end with its last page
  });

  test('listens on no port, and has no secret in its environment', async () => {
    await open('page');
    await host.tells('page');
    const pids = allProcessesOf();
    expect(pids.length).toBeGreaterThan(2);
    expect(portsOf([process.pid])).not.toEqual([]); // that of the page's host: the look itself works
    expect(portsOf(pids)).toEqual([]);
    const environments = pids.flatMap((pid) => environmentOf(pid) ?? []);
    expect(environments.join()).toContain('PATH=');
    expect(environments.join()).not.toContain('secret-of-the-account');
  });

  test('keeps what it writes in a folder that others cannot read, and nothing at home', () => {
    const [folder, ...others] = foldersOf();
    expect(statSync(join(tmpdir(), folder as string)).mode & 0o777).toBe(0o700);
    expect(others).toEqual([]);
    expect(readdirSync(home, { recursive: true })).toEqual([]); // which is looked at again when it has closed
  });

  test('its pages run at full speed with as much of the processor as other programs, and play sound without a click, though nobody looks at them', async () => {
    const script = `
      const sound = new AudioContext();
      await sound.resume();
      tell('sound ' + sound.state);
      const from = performance.now();
      for (let turns = 0; turns < 30; turns += 1) await new Promise((resolve) => setTimeout(resolve, 10));
      tell('turns ' + Math.round(performance.now() - from));`;
    const names = ['fast-1', 'fast-2', 'fast-3'];
    for (const name of names) await open(name, script); // which hides the one before
    for (const name of names) {
      await host.tells(name, 'sound running');
      await host.tells(name, /^turns/); // in the background of a browser for people a turn takes a second, so it would be late
    }
    const priorities = renderersOf(leader()).map((pid) => getPriority(pid));
    expect(priorities.length).toBeGreaterThan(2);
    expect(priorities.every((priority) => priority === getPriority())).toBe(true);
  });

  test('a page that shows nothing of ours is gone', async () => {
    const page = await browser.open('http://127.0.0.1:1/');
    await page.gone;
  });

  test('a page that never answers is opened, and closed when asked', async () => {
    const silent = await listenSilently();
    const page = await browser.open(silent.url);
    await silent.connected;
    page.close();
    await page.gone;
    silent.close();
  });

  test('a page gets no permission, opens no window, shows no dialog and saves no file', async () => {
    const script = `
      await tell('alert ' + alert('hello') + ' ' + confirm('sure?'));
      for (const name of ['microphone', 'camera', 'notifications', 'geolocation', 'clipboard-read']) {
        await tell(name + ' ' + (await navigator.permissions.query({ name })).state);
      }
      await tell('audio ' + await navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'heard', ({ name }) => name));
      const link = document.createElement('a');
      link.href = 'data:application/octet-stream,secret'; link.download = 'a-file-of-the-page'; link.click();
      const window = open('${host.url('window')}');
      await tell('window ' + (window === null));`;
    await open('asking', script);
    await host.tells('asking');
    expect(host.toldBy('asking')).toEqual([
      'alert undefined false',
      'microphone denied',
      'camera denied',
      'notifications denied',
      'geolocation denied',
      'clipboard-read denied',
      expect.stringMatching(/^audio (NotAllowedError|NotFoundError)$/),
      'window true',
      'open',
    ]);
    expect(host.toldBy('window')).toEqual([]);
  });

  test('a page whose process is killed is gone, and the others stay', async () => {
    await open('other', TICKS);
    await host.tells('other');
    const page = await open('works', WORKS);
    await host.tells('works');
    const [renderer, ...others] = renderersOf(leader()).filter(hasWorker);
    expect(others).toEqual([]);
    process.kill(renderer as number, 'SIGKILL');
    await page.gone;
    expect(browser.pageCount).toBe(1);
    const ticks = host.toldBy('other').length;
    await until(() => host.toldBy('other').length > ticks + 2, 'the other page goes on');
    await open('next');
    await host.tells('next');
  });
});

describe('a browser that is kept, and killed,', () => {
  beforeAll(async () => {
    browser = browserOf();
    await browser.start();
  }, 30_000);
  afterAll(async () => {
    await browser.close();
    await nothingIsLeft();
  });

  test('takes its pages along, and is there again at once', async () => {
    const pages = await Promise.all(['killed-1', 'killed-2'].map((name) => browser.open(host.url(name))));
    await host.tells('killed-1');
    await host.tells('killed-2');
    const pid = leader();
    process.kill(pid, 'SIGKILL');
    await Promise.all(pages.map(({ gone }) => gone));
    expect(browser.pageCount).toBe(0);
    await until(() => browsersOf().some((one) => one !== pid), 'another one runs');
    const next = await browser.open(host.url('after-the-kill'));
    await host.tells('after-the-kill');
    next.close();
    await next.gone;
  });

  test('opens a page although that was the moment before', async () => {
    await browser.start();
    process.kill(leader(), 'SIGKILL');
    const page = await browser.open(host.url('at-once'));
    await host.tells('at-once');
    page.close();
    await page.gone;
  });

  test('is not started again and again when that happens each time', async () => {
    for (const _ of [1, 2, 3]) {
      const pid = leader();
      process.kill(pid, 'SIGKILL');
      await until(() => browsersOf().some((one) => one !== pid) && !browsersOf().includes(pid), 'another one runs');
      await browser.start();
    }
    process.kill(leader(), 'SIGKILL');
    await nothingIsLeft();
    await browser.open(host.url('needed')); // whoever needs it starts it all the same
    await host.tells('needed');
  });
});

test('a browser that nobody has started runs from the first page to the last, and has as many pages as it may have', async () => {
  expect(browsersOf()).toEqual([]);
  browser = browserOf({ maxPages: 2 });
  const [first, second] = await Promise.all([browser.open(host.url('one')), browser.open(host.url('two'))]);
  const pid = leader();
  await expect(browser.open(host.url('three'))).rejects.toMatchObject({
    code: 'VB_BROWSER_FAILED',
    message: expect.stringContaining('2 pages'),
    hint: expect.stringContaining('VOICEBOT_BROWSER_PAGES'),
  });
  first.close();
  await first.gone;
  await host.tells('two');
  const third = await browser.open(host.url('three')); // one that is closed makes room for another
  await host.tells('three');
  expect(host.toldBy('three')).toEqual(['open']);
  expect(leader()).toBe(pid);
  second.close();
  third.close();
  await nothingIsLeft();
});

describe('a process that keeps a browser', () => {
  // The browser of another test would remove a folder that is left in the machine's own directory.
  let directory: TemporaryFolder;
  beforeEach(() => {
    directory = new TemporaryFolder();
  });
  afterEach(async () => {
    await nothingIsLeft();
    directory[Symbol.dispose]();
  });

  async function keep(page: string, ...more: string[]) {
    const child = spawn(process.execPath, [KEEPER, host.url(page), ...more], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: directory.path },
    });
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    return child;
  }

  test('and is killed leaves no process; the next browser removes its folder, and no other', async () => {
    const child = await keep('of-another');
    const pid = child.pid as number;
    await host.tells('of-another');
    expect(browsersOf(pid)).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => allProcessesOf(pid).length === 0, 'its browser ends');
    expect(foldersOf(pid, directory.path)).toHaveLength(1);
    const notOurs = mkdtempSync(join(directory.path, 'voicebot-browser-mine-'));
    const next = await keep('of-the-next');
    await host.tells('of-the-next');
    await until(() => foldersOf(pid, directory.path).length === 0, 'its folder is removed');
    expect(foldersOf(next.pid, directory.path)).toHaveLength(1);
    expect(statSync(notOurs).isDirectory()).toBe(true);
    next.kill('SIGKILL');
    await once(next, 'exit');
    await until(() => allProcessesOf(next.pid).length === 0, 'its browser ends');
  });

  test.each([
    ['without closing it', 'exit'],
    ['as soon as it has ended', 'exit-behind'],
  ])('and exits %s leaves neither process nor folder', async (_when, how) => {
    const { pid = 0 } = await keep(how, how);
    await until(() => allProcessesOf(pid).length === 0, 'its browser ends');
    expect(foldersOf(pid, directory.path)).toEqual([]);
  });
});

const TICKS = "setInterval(() => tell('tick'), 50);";
/** Has a worker, by which its process is known. */
const WORKS = `
  const worker = new Worker(URL.createObjectURL(new Blob(['setInterval(() => postMessage("works"), 50)'])));
  await new Promise((works) => { worker.onmessage = works; });`;

function hasWorker(pid: number): boolean {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.some((id) => readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').startsWith('DedicatedWorker'));
}

function environmentOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return undefined; // it has just ended
  }
}

/** A server that takes connections and says nothing. */
async function listenSilently() {
  const { createServer } = await import('node:net');
  const server = createServer((socket) => void socket.on('error', () => {}).resume());
  const connected = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/`, connected, close: () => void server.close() };
}
