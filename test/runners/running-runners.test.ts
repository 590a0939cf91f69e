import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thisProcess } from '../../src/base/process/process-identity.js';
import { type RunningRunner, RunningRunners } from '../../src/runners/running-runners.js';

/** Above the largest process id of any system. */
const NO_PROCESS = 2 ** 30;

let directory: string;
let runners: RunningRunners;
const servers: Server[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-runners-'));
  runners = new RunningRunners(directory);
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(directory, { recursive: true });
});

const fileNames = () => readdirSync(join(directory, 'runners')).sort();

/** A server that says it is healthy, as a runner does. */
async function healthy(change: Partial<RunningRunner> = {}, status = 200): Promise<RunningRunner> {
  const server = createServer((_request, response) => response.writeHead(status).end());
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { version: 1, pid: process.pid, port, url: `http://127.0.0.1:${port}`, startedAt: 1, ...change };
}

test('finds the only runner', async () => {
  const runner = await healthy({
    token: 'a-token-of-the-runner',
    webhooks: { transport: 'rooms', publicUrl: 'http://127.0.0.1:2', secret: 'c2VjcmV0' },
  });
  await runners.announce(runner);
  expect(await runners.find()).toEqual(runner);
});

test('of several rather takes one that was started in the same folder, and tells of the others', async () => {
  const here = await healthy({ startedAt: 1, directory: '/home/ada/shop', bot: '/home/ada/shop/bot.ts' });
  const younger = await healthy({ startedAt: 2, directory: '/home/ada/desk' });
  const told: unknown[] = [];
  const onSeveral = (...all: unknown[]) => void told.push(all);
  await runners.announce(here);
  expect(await runners.find({ directory: '/elsewhere', onSeveral })).toEqual(here);
  expect(told).toEqual([]);
  await runners.announce(younger);
  expect(await runners.find({ directory: '/home/ada/shop', onSeveral })).toEqual(here);
  expect(await runners.find({ directory: '/elsewhere', onSeveral })).toEqual(younger);
  expect(await runners.find({ directory: '/home/ada/shop', port: younger.port, onSeveral })).toEqual(younger);
  expect(told).toEqual([
    [here, [younger]],
    [younger, [here]],
  ]);
});

test('to place a call, one on the sandbox is taken rather than a younger one on an account', async () => {
  const account = { authId: 'a', authToken: 'b', apiUrl: 'c', roomsApiKey: 'd', roomsApiUrl: 'e' };
  const sandbox = { url: 'http://127.0.0.1:1', phoneToken: 'f', number: '+12025550100', account };
  const onSandbox = await healthy({ startedAt: 1, sandbox });
  await runners.announce(onSandbox);
  await runners.announce(await healthy({ startedAt: 2, directory: '/home/ada/shop' }));
  const told: unknown[] = [];
  const choice = {
    ratherSandbox: true,
    directory: '/home/ada/shop',
    onSeveral: (...all: unknown[]) => void told.push(all),
  };
  expect(await runners.find(choice)).toEqual(onSandbox);
  expect(told).toEqual([]); // the other one could not be called
  const second = await healthy({ startedAt: 3, sandbox });
  await runners.announce(second);
  expect(await runners.find(choice)).toEqual(second);
  expect(told).toEqual([[second, [onSandbox]]]);
});

test('finds the youngest of several, unless told which', async () => {
  const older = await healthy({ startedAt: 1 });
  const younger = await healthy({ startedAt: 2 });
  await runners.announce(younger);
  await runners.announce(older);
  expect(await runners.find()).toEqual(younger);
  expect(await runners.find({ port: older.port })).toEqual(older);
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    expect(await runners.find({ server: `http://${name}:${older.port}/` })).toEqual(older);
  }
  await expect(runners.find({ server: `http://example.com:${older.port}` })).rejects.toThrow(
    'none of your runners answers',
  );
});

test('only the user can read the files', async () => {
  const { port } = await healthy();
  await runners.announce(await healthy({ port }));
  expect(statSync(join(directory, 'runners')).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'runners', `${port}.json`)).mode & 0o777).toBe(0o600);
});

test('forgets a runner that was taken back', async () => {
  const withdraw = await runners.announce(await healthy());
  await withdraw();
  await withdraw();
  expect(fileNames()).toEqual([]);
  await expect(runners.find()).rejects.toMatchObject({ code: 'VB_RUNNER_NOT_FOUND' });
});

test('leaves the announcement of a later runner on the same port alone', async () => {
  const runner = await healthy();
  const withdraw = await runners.announce({ ...runner, pid: NO_PROCESS });
  await runners.announce(runner);
  await withdraw();
  expect(await runners.find()).toEqual(runner);
});

test('removes the files of runners whose process is gone, and files nobody can read', async () => {
  await runners.announce({ version: 1, pid: NO_PROCESS, port: 7001, url: 'http://127.0.0.1:7001', startedAt: 1 });
  writeFileSync(join(directory, 'runners', '7002.json'), '{');
  await expect(runners.find()).rejects.toMatchObject({
    code: 'VB_RUNNER_NOT_FOUND',
    hint: expect.stringContaining('voicebot run --sandbox'),
  });
  expect(fileNames()).toEqual([]);
});

test('passes over a runner that does not answer, but keeps its file', async () => {
  const broken = await healthy({}, 500);
  await runners.announce(broken);
  await expect(runners.find()).rejects.toMatchObject({ code: 'VB_RUNNER_NOT_FOUND' });
  expect(fileNames()).toEqual([`${broken.port}.json`]);
});

test('names the runners there are when the wanted one is not among them', async () => {
  const runner = await healthy();
  await runners.announce(runner);
  await expect(runners.find({ port: 1 })).rejects.toThrow(
    `none of your runners answers at port 1 (but at ${runner.url})`,
  );
});

test('finds nothing where nothing was ever announced', async () => {
  await expect(runners.find()).rejects.toMatchObject({ code: 'VB_RUNNER_NOT_FOUND' });
});

describe('a runner that cannot be used is named, and why', () => {
  test('when it lets its calls end, unless it is only asked about them', async () => {
    const runner = { ...(await healthy()), isStopping: true as const };
    await runners.announce(runner);
    await expect(runners.find()).rejects.toMatchObject({
      code: 'VB_RUNNER_STOPPING',
      message: expect.stringContaining(`${runner.url} (process ${process.pid})`),
    });
    expect(await runners.find({ orStopping: true })).toEqual(runner);
  });

  test('when it is alive and does not answer in time', async () => {
    const silent = createServer(() => {});
    servers.push(silent);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const hasty = new RunningRunners(directory, 50);
    await hasty.announce({ version: 1, pid: process.pid, port, url, startedAt: 1 });
    await expect(hasty.find()).rejects.toMatchObject({
      code: 'VB_DEADLINE_EXCEEDED',
      message: expect.stringContaining(`${url} (process ${process.pid}) is alive but did not answer within 0.05 s`),
    });
    expect(fileNames()).toEqual([`${port}.json`]);
    silent.closeAllConnections();
  });

  test('but not while another one answers', async () => {
    const stopping = await healthy({ isStopping: true, startedAt: 2 });
    const running = await healthy({ startedAt: 1 });
    await runners.announce(stopping);
    await runners.announce(running);
    expect(await runners.find()).toEqual(running);
    expect(await runners.find({ orStopping: true })).toEqual(running);
  });
});

test('knows whose runner was announced on a port, even one that does not answer', async () => {
  const broken = await healthy({}, 500);
  await runners.announce(broken);
  await runners.announce({ ...broken, port: 7001, pid: NO_PROCESS });
  expect(await runners.onPort(broken.port)).toEqual(broken);
  expect(await runners.onPort(7001)).toBeUndefined();
  expect(await runners.onPort(7002)).toBeUndefined();
});

test('a process that has the number of a runner which is gone is no runner', async () => {
  const runner = await healthy({ ...thisProcess(), startTime: 'of an earlier process' });
  await runners.announce(runner);
  expect(await runners.onPort(runner.port)).toBeUndefined();
  await expect(runners.find()).rejects.toMatchObject({ code: 'VB_RUNNER_NOT_FOUND' });
  expect(fileNames()).toEqual([]);
});

test('leaves the file of a runner in another container, which shares the state directory, alone', async () => {
  const runner = await healthy({ ...thisProcess(), pid: NO_PROCESS, host: 'another-container' }, 500);
  await runners.announce(runner);
  expect(await runners.onPort(runner.port)).toBeUndefined();
  await expect(runners.find()).rejects.toMatchObject({ code: 'VB_RUNNER_NOT_FOUND' });
  expect(fileNames()).toEqual([`${runner.port}.json`]);
});
