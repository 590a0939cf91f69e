import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort, portNote, portProblem } from '../../../src/cli/run/port-problem.js';
import { RunningRunners } from '../../../src/runners/running-runners.js';

const host = '127.0.0.1';
let home: string;
let server: Server;
let port: number;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-port-'));
  server = createServer();
  await once(server.listen(0, host), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  server.close();
  rmSync(home, { recursive: true });
});

/** A runner of this user is at the port. */
const announce = (more: { bot?: string } = {}) =>
  new RunningRunners(home).announce({
    version: 1,
    pid: process.pid,
    port,
    url: `http://${host}:${port}`,
    startedAt: 1,
    ...more,
  });

/** The port that a hint offers. Whether it still is free is another program's choice by now. */
const offered = (hint: string | undefined) => Number(/--port (\d+)/.exec(hint ?? '')?.[1]);

test('a port of another program: says so, and offers the next free one', async () => {
  const problem = await portProblem({ host, port }, home);
  expect(problem).toMatchObject({ code: 'VB_PORT_IN_USE', message: expect.stringContaining('another program') });
  expect(offered(problem?.hint)).toBeGreaterThan(port);
});

test('a port of the own runner: says which process it is, even when it does not answer', async () => {
  await announce();
  const problem = await portProblem({ host, port }, home);
  expect(problem?.message).toContain(`your own runner (process ${process.pid})`);
  expect(problem?.hint).toContain(`kill ${process.pid}`);
  expect(offered(problem?.hint)).toBeGreaterThan(port);
});

test.each([5060, 6000, 10_080])(
  'port %i, which no HTTP client calls, is refused, and another is named',
  async (blocked) => {
    await expect(fetch(`http://${host}:${blocked}`)).rejects.toMatchObject({ cause: new Error('bad port') });
    const problem = await portProblem({ host, port: blocked }, home);
    expect(problem).toMatchObject({ code: 'VB_CONFIG_INVALID', hint: 'Choose another: --port 7860' });
  },
);

test('the default port in use: the next free one is taken, and it is told by whom', async () => {
  const config = { host, port, isPortNamed: false };
  const next = await choosePort(config, home);
  expect(next).toBeGreaterThan(port);
  expect(await portNote(port, next, home)).toBe(`Port ${port} is used by another program: this run takes ${next}.`);
  const bot = '/home/ada/bot.ts';
  await announce({ bot });
  expect(await portNote(port, next, home)).toContain(`your own runner (process ${process.pid}, ${bot})`);
  expect(await portNote(next, next, home)).toBeUndefined();
  expect(await portNote(0, next, home)).toBeUndefined();
});

test.each([
  ['a port that was named', { isPortNamed: true }],
  ['the default one that a proxy leads to', { isPortNamed: false, publicUrl: 'https://bot.example.com' }],
])('%s is never replaced', async (_what, more) => {
  await expect(choosePort({ host, port, ...more }, home)).rejects.toMatchObject({ code: 'VB_PORT_IN_USE' });
});

test('no port in particular is free', async () => {
  expect(await portProblem({ host, port: 0 }, home)).toBeUndefined();
});

test('an address of another machine is none to listen on', async () => {
  expect(await portProblem({ host: '192.0.2.1', port: 0 }, home)).toMatchObject({ code: 'VB_CONFIG_INVALID' });
});
