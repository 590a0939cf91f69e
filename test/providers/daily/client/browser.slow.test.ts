import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from '../../../../src/providers/daily/client/browser.js';
import { until } from '../../../e2e/processes.js';
import { allProcessesOf, browserOf, browsersOf, foldersOf, PageHost, portsOf, renderersOf } from './page-host.js';

const KEEPER = fileURLToPath(new URL('keeper.mjs', import.meta.url));

let host: PageHost;
let browser: Browser;
beforeEach(async () => {
  host = await PageHost.start();
  browser = browserOf();
});
afterEach(async () => {
  await browser.close();
  await host[Symbol.asyncDispose]();
  await until(() => allProcessesOf().length === 0, 'no process is left');
  expect(foldersOf()).toEqual([]);
});

/** The one browser that runs. */
const leader = (): number => {
  const [only, ...others] = browsersOf();
  expect(others).toEqual([]);
  return only as number;
};

describe('a browser that is kept', () => {
  beforeEach(() => browser.start());

  test('runs before a page is opened, once, however many ask', async () => {
    const pid = leader();
    const pages = await Promise.all([host.url('first'), host.url('second')].map((url) => browser.open(url)));
    await host.tells('first');
    await host.tells('second');
    expect(browser.pageCount).toBe(2);
    for (const page of pages) page.close();
    await Promise.all(pages.map(({ gone }) => gone));
    expect(browser.pageCount).toBe(0);
    expect(leader()).toBe(pid); // it does not end with its last page
  });

  test('listens on no port, and has no secret in its environment', async () => {
    process.env.ROOMS_API_KEY = 'secret-of-the-account';
    try {
      await browser.close();
      await browser.start();
    } finally {
      delete process.env.ROOMS_API_KEY;
    }
    await browser.open(host.url('page'));
    await host.tells('page');
    const pids = allProcessesOf();
    expect(pids.length).toBeGreaterThan(2);
    expect(portsOf([process.pid])).not.toEqual([]); // that of the page's host: the look itself works
    expect(portsOf(pids)).toEqual([]);
    const environments = pids.flatMap((pid) => environmentOf(pid) ?? []);
    expect(environments.join()).toContain('PATH=');
    expect(environments.join()).not.toContain('secret-of-the-account');
  });

  test('keeps what it writes in a folder that others cannot read, and nothing at home', async () => {
    const [folder] = foldersOf();
    expect(statSync(join(tmpdir(), folder as string)).mode & 0o777).toBe(0o700);
    const home = mkdtempSync(join(tmpdir(), 'voicebot-home-'));
    const atHome = browserOf({ environment: { PATH: process.env.PATH ?? '', HOME: home } });
    try {
      await atHome.start();
      await atHome.open(host.url('page'));
      await host.tells('page');
      await atHome.close();
      expect(readdirSync(home, { recursive: true })).toEqual([]);
    } finally {
      await atHome.close();
      rmSync(home, { recursive: true });
    }
  });

  test('its pages get as much of the processor as other programs, though nobody looks at them', async () => {
    for (const name of ['first', 'second', 'third']) {
      await browser.open(host.url(name)); // which hides the one before
      await host.tells(name);
    }
    const priorities = renderersOf(leader()).map((pid) => getPriority(pid));
    expect(priorities.length).toBeGreaterThan(2);
    expect(priorities.every((priority) => priority === getPriority())).toBe(true);
  });

  test('a page whose process is killed is gone, and the others stay', async () => {
    await browser.open(host.url('other', TICKS));
    await host.tells('other');
    const page = await browser.open(host.url('page', WORKS));
    await host.tells('page');
    const [renderer, ...others] = renderersOf(leader()).filter(hasWorker);
    expect(others).toEqual([]);
    process.kill(renderer as number, 'SIGKILL');
    await page.gone;
    expect(browser.pageCount).toBe(1);
    const ticks = host.toldBy('other').length;
    await until(() => host.toldBy('other').length > ticks + 2, 'the other page goes on');
    await browser.open(host.url('next'));
    await host.tells('next');
  });

  test('a browser that is killed takes its pages along, and is there again at once', async () => {
    const pages = await Promise.all(['first', 'second'].map((name) => browser.open(host.url(name))));
    await host.tells('first');
    await host.tells('second');
    const pid = leader();
    process.kill(pid, 'SIGKILL');
    await Promise.all(pages.map(({ gone }) => gone));
    expect(browser.pageCount).toBe(0);
    await until(() => browsersOf().some((one) => one !== pid), 'another one runs');
    await browser.open(host.url('next'));
    await host.tells('next');
  });

  test('opens a page although it has been killed the moment before', async () => {
    process.kill(leader(), 'SIGKILL');
    await browser.open(host.url('page'));
    await host.tells('page');
  });

  test('is not started again and again when it ends each time', async () => {
    for (const _ of [1, 2, 3]) {
      const pid = leader();
      process.kill(pid, 'SIGKILL');
      await until(() => browsersOf().some((one) => one !== pid) && !browsersOf().includes(pid), 'another one runs');
      await browser.start();
    }
    process.kill(leader(), 'SIGKILL');
    await until(() => allProcessesOf().length === 0 && foldersOf().length === 0, 'nothing is left');
    await browser.open(host.url('page')); // whoever needs it starts it all the same
    await host.tells('page');
  });
});

test('a browser that nobody has started runs from the first page to the last', async () => {
  expect(browsersOf()).toEqual([]);
  const [first, second] = await Promise.all([browser.open(host.url('first')), browser.open(host.url('second'))]);
  const pid = leader();
  first.close();
  await first.gone;
  await host.tells('second');
  expect(leader()).toBe(pid);
  second.close();
  await until(() => allProcessesOf().length === 0 && foldersOf().length === 0, 'nothing is left');
});

test('has as many pages as it may have; one that is closed makes room for another', async () => {
  browser = browserOf({ maxPages: 2 });
  const first = await browser.open(host.url('first'));
  await browser.open(host.url('second'));
  await expect(browser.open(host.url('third'))).rejects.toMatchObject({
    code: 'VB_BROWSER_FAILED',
    message: expect.stringContaining('2 pages'),
    hint: expect.stringContaining('VOICEBOT_BROWSER_PAGES'),
  });
  first.close();
  await first.gone;
  await browser.open(host.url('third'));
  await host.tells('third');
  expect(host.toldBy('third')).toEqual(['open']);
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
  await browser.open(host.url('page', script));
  await host.tells('page');
  expect(host.toldBy('page')).toEqual([
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

test('pages that nobody looks at run at full speed, and play sound without a click', async () => {
  const script = `
    const sound = new AudioContext();
    await sound.resume();
    tell('sound ' + sound.state);
    const from = performance.now();
    for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    tell('turns ' + Math.round(performance.now() - from));`;
  await Promise.all(['first', 'second', 'third'].map((name) => browser.open(host.url(name, script))));
  for (const name of ['first', 'second', 'third']) {
    await host.tells(name, 'sound running');
    await host.tells(name, /^turns/); // in the background of a browser for people a turn takes a second, so it would be late
  }
});

describe('a process that keeps a browser', () => {
  async function keep(...more: string[]) {
    const child = spawn(process.execPath, [KEEPER, host.url('page'), ...more], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    return child;
  }

  test('and is killed leaves no process; the next browser removes its folder, and no other', async () => {
    const child = await keep();
    const pid = child.pid as number;
    await host.tells('page');
    expect(browsersOf(pid)).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => allProcessesOf(pid).length === 0, 'its browser ends');
    expect(foldersOf(pid)).toHaveLength(1);
    const notOurs = mkdtempSync(join(tmpdir(), 'voicebot-browser-mine-'));
    await browser.start();
    await until(() => foldersOf(pid).length === 0, 'its folder is removed');
    expect(foldersOf()).toHaveLength(1);
    expect(statSync(notOurs).isDirectory()).toBe(true);
    rmSync(notOurs, { recursive: true });
  });

  test.each([
    ['without closing it', 'exit'],
    ['as soon as it has ended', 'exit-behind'],
  ])('and exits %s leaves neither process nor folder', async (_when, how) => {
    const { pid = 0 } = await keep(how);
    await until(() => allProcessesOf(pid).length === 0, 'its browser ends');
    expect(foldersOf(pid)).toEqual([]);
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
