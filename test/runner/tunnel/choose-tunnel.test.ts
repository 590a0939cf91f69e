import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseTunnel, type TunnelChoice } from '../../../src/runner/tunnel/choose-tunnel.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-choose-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const installCloudflared = () => writeFileSync(join(directory, 'cloudflared'), '#!/bin/sh\n', { mode: 0o755 });
const ngrok = { forward: () => Promise.reject(new Error('not here')) };
const kindFor = async (choice: Partial<TunnelChoice>) =>
  (await chooseTunnel({ kind: 'auto', environment: { PATH: directory }, ...choice })).kind;

test('auto takes ngrok where its token is set and its package installed', async () => {
  installCloudflared();
  expect(await kindFor({ ngrokAuthtoken: 'secret', loadNgrok: async () => ngrok })).toBe('ngrok');
  expect(await kindFor({ ngrokAuthtoken: 'secret' })).toBe('cloudflared');
  expect(await kindFor({ loadNgrok: async () => ngrok })).toBe('cloudflared');
});

test('auto takes cloudflared where it is installed, else localtunnel', async () => {
  expect(await kindFor({})).toBe('localtunnel');
  expect(await kindFor({ environment: {} })).toBe('localtunnel');
  installCloudflared();
  expect(await kindFor({})).toBe('cloudflared');
});

test.each(['localtunnel', 'ngrok', 'cloudflared'] as const)('%s is taken as named, whatever is there', async (kind) => {
  installCloudflared();
  expect(await kindFor({ kind, ngrokAuthtoken: 'secret', loadNgrok: async () => ngrok })).toBe(kind);
});
