import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cloudflaredProvider } from '../../../src/runner/tunnel/cloudflared.js';
import { ReachProbe } from '../../../src/runner/tunnel/reach-probe.js';
import { Tunnel } from '../../../src/runner/tunnel/tunnel.js';
import { processes, until } from '../../e2e/processes.js';
import { AnsweringServer } from './answering-server.js';

jest.setTimeout(60_000);

const never = new AbortController().signal;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let directory: string;
let environment: Record<string, string>;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-cloudflared-'));
  const file = join(directory, 'cloudflared');
  copyFileSync(new URL('fake-cloudflared.mjs', import.meta.url), file);
  chmodSync(file, 0o755);
  // Without a suffix it is a module only where this says so.
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  plan({});
  environment = { PATH: `${directory}:${dirname(process.execPath)}:/usr/bin:/bin` };
});
afterEach(() => rmSync(directory, { recursive: true }));

const plan = (how: { isStubborn?: boolean; failure?: string; address?: string }) =>
  writeFileSync(join(directory, 'plan.json'), JSON.stringify(how));

/** The programs of this test that run, with the shell that keeps them. */
const running = () => processes().filter(({ command }) => command.includes(`${directory}/cloudflared`));
const program = () => running().find(({ command }) => !command.startsWith('/bin/sh'));

test('it is open once requests come through, and ends when it is closed', async () => {
  await using server = await AnsweringServer.start();
  const options = { provider: cloudflaredProvider({ environment }), port: server.port, probe: server.probe };
  const tunnel = await Tunnel.open(options, never);
  expect(tunnel).toMatchObject({ kind: 'cloudflared', maxConnections: undefined });
  expect(tunnel.url).toMatch(/^http:\/\/brave-owl\.localhost:\d+$/);
  expect(await tunnel.check()).toMatchObject({ isReached: true });
  const groups = running().map(({ group }) => group);
  expect(groups).not.toHaveLength(0);
  const own = processes().find(({ pid }) => pid === process.pid)?.group;
  expect(groups).not.toContain(own); // so that Ctrl-C does not reach it
  await tunnel.close();
  expect(running()).toEqual([]);
});

test('when it ends by itself its last words are the reason, and another is started', async () => {
  await using server = await AnsweringServer.start();
  const options = { provider: cloudflaredProvider({ environment }), port: server.port, probe: server.probe };
  const tunnel = await Tunnel.open({ ...options, firstRetryMs: 10 }, never);
  const before = tunnel.url;
  const lost = once(tunnel, 'lost');
  process.kill(program()?.pid as number, 'SIGUSR2');
  expect(await lost).toEqual(['cloudflared ended: the edge went away']);
  expect(await once(tunnel, 'back')).toEqual([tunnel.url, tunnel.url !== before]);
  await tunnel.close();
  expect(running()).toEqual([]);
});

test('one that does not want to end is killed', async () => {
  plan({ isStubborn: true });
  const link = await cloudflaredProvider({ environment, closeWithinMs: 100 }).open({ port: 1 }, never);
  expect(running()).not.toEqual([]);
  await Promise.all([link.close(), link.close()]);
  await until(() => running().length === 0, 'nothing is left');
});

test('one that fails at once says why', async () => {
  plan({ failure: 'failed to request quick Tunnel: 429 Too Many Requests' });
  await expect(cloudflaredProvider({ environment }).open({ port: 1 }, never)).rejects.toMatchObject({
    code: 'VB_TUNNEL_FAILED',
    message: expect.stringContaining('it ended: failed to request quick Tunnel: 429 Too Many Requests'),
    hint: expect.stringContaining('--tunnel ngrok'),
  });
  await until(() => running().length === 0, 'nothing is left');
});

test('an address in the clear is refused', async () => {
  plan({ address: 'http://brave-owl.example.com' });
  await expect(cloudflaredProvider({ environment }).open({ port: 1 }, never)).rejects.toThrow('not https');
  expect(running()).toEqual([]);
});

test('one that is not installed, or cannot be run, is named with how to install it', async () => {
  const missing = { code: 'VB_TUNNEL_FAILED', hint: expect.stringContaining('Install it') };
  chmodSync(join(directory, 'cloudflared'), 0o644);
  for (const PATH of [directory, '/nowhere', '']) {
    const opening = cloudflaredProvider({ environment: { PATH } }).open({ port: 1 }, never);
    await expect(opening).rejects.toMatchObject(missing);
  }
  await expect(cloudflaredProvider({ environment: {} }).open({ port: 1 }, never)).rejects.toMatchObject(missing);
});

test('aborting while it opens leaves no program behind', async () => {
  const abort = new AbortController();
  const options = { provider: cloudflaredProvider({ environment }), port: 1, probe: new ReachProbe() };
  const opening = Tunnel.open(options, abort.signal);
  await until(() => program() !== undefined, 'it is started', 30_000);
  abort.abort(new Error('Ctrl-C'));
  await expect(opening).rejects.toThrow('Ctrl-C');
  expect(running()).toEqual([]);
});

test('it ends with us, even when we are killed', async () => {
  const script = `
    import { cloudflaredProvider } from './dist/runner/tunnel/cloudflared.js';
    const environment = ${JSON.stringify(environment)};
    await cloudflaredProvider({ environment }).open({ port: 1 }, new AbortController().signal);
    console.log('open');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd: ROOT });
  await once(createInterface({ input: child.stdout }), 'line');
  expect(running()).not.toEqual([]);
  child.kill('SIGKILL');
  await until(() => running().length === 0, 'nothing is left');
});

test('a secret of ours is in nobody else’s environment', async () => {
  process.env.CARRIER_AUTH_TOKEN_OF_THIS_TEST = 'secret';
  try {
    // The program of this test refuses to run when it finds one.
    await (await cloudflaredProvider({ environment }).open({ port: 1 }, never)).close();
  } finally {
    delete process.env.CARRIER_AUTH_TOKEN_OF_THIS_TEST;
  }
});
