import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../src/config/config.js';
import { daily } from '../../src/providers/daily/provider.js';
import { useExtension } from '../../src/providers/registry/extensions.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-extensions-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (name: string, content: string) => {
  mkdirSync(join(directory, name, '..'), { recursive: true });
  writeFileSync(join(directory, name), content);
};
const failure = async (environment: Record<string, string> = {}) => {
  try {
    await resolveConfig({ flags: {}, environment, directory });
  } catch (error) {
    return error as { code: string; message: string; hint: string };
  }
  throw new Error('nothing was refused');
};

test('everything that is wrong with the extensions of a folder is told at once, and what to do', async () => {
  write('broken.mjs', 'throw new Error("out of order");');
  write('empty.mjs', 'export default {};');
  write('bare.mjs', 'export default { providerContract: 1 };');
  write('future.mjs', 'export default { providerContract: 9, carrier: {} };');
  write('node_modules/no-module/package.json', '{ "name": "no-module", "exports": { "./other": "./other.js" } }');
  const names = [
    'voicebot-nowhere',
    '@scope/nowhere/carrier',
    'no-module',
    './missing.mjs',
    './broken.mjs',
    './empty.mjs',
    './bare.mjs',
    './future.mjs',
  ];
  write('voicebot.config.json', JSON.stringify({ extensions: names }));
  const { code, message, hint } = await failure();
  expect(code).toBe('VB_EXTENSION_INVALID');
  for (const wanted of [
    'voicebot-nowhere (extensions in voicebot.config.json) is not installed',
    '@scope/nowhere/carrier (extensions in voicebot.config.json) is not installed',
    'no-module (extensions in voicebot.config.json) has no module to import',
    './missing.mjs (extensions in voicebot.config.json) is not there',
    './broken.mjs could not be loaded: out of order',
    './empty.mjs: providerContract must be the version of the contract, a number',
    './bare.mjs: must have a carrier, or rooms',
    './future.mjs is written for version 9',
  ])
    expect(message).toContain(wanted);
  for (const wanted of ['npm install voicebot-nowhere', 'npm install @scope/nowhere', 'npm install voicebot@latest'])
    expect(hint).toContain(wanted);
});

test('the environment wins over the files, and a variable says where it stands', async () => {
  write('voicebot.config.json', '{ "extensions": ["voicebot-one"] }');
  write('.env', 'VOICEBOT_EXTENSIONS=voicebot-two');
  expect((await failure()).message).toContain('voicebot-two (VOICEBOT_EXTENSIONS in .env) is not installed');
  expect((await failure({ VOICEBOT_EXTENSIONS: 'voicebot-three, voicebot-four' })).message).toMatch(
    /voicebot-three \(VOICEBOT_EXTENSIONS in the environment\).*\n.*voicebot-four/,
  );
});

test.each([
  '/etc/evil.js',
  'file:///etc/evil.js',
  'https://example.com/evil.js',
  'data:text/javascript,1',
  'node:fs',
  '..',
  './a b.js',
  './.hidden.js',
  'a/../../b',
  '@scope',
  'UPPER',
  '',
])('%j names no extension', async (name) => {
  write('voicebot.config.json', JSON.stringify({ extensions: [name] }));
  const { code, message } = await failure();
  expect(code).toBe('VB_CONFIG_INVALID');
  expect(message).toContain('extensions in voicebot.config.json must be names of packages, or paths from this folder');
});

test('a carrier that no extension brings is refused, with where carriers come from', async () => {
  const { message, hint } = await failure({ CARRIER: 'acme' });
  expect(message).toContain('CARRIER in the environment must be one of plivo, twilio, telnyx');
  expect(hint).toContain('docs/extending.md');
});

test('a room provider that no extension brings is refused, and one provider is not shown the key of another', async () => {
  expect((await failure({ ROOMS_PROVIDER: 'lobby' })).message).toContain(
    'ROOMS_PROVIDER in the environment must be one of daily',
  );
  const stop = await useExtension({
    providerContract: 1,
    rooms: { ...daily, name: 'lobby', keyVariable: 'LOBBY_KEY' },
  });
  try {
    const resolved = (environment: Record<string, string>) => resolveConfig({ flags: {}, environment, directory });
    const keys = { DAILY_API_KEY: 'of-daily', LOBBY_KEY: 'of-lobby' };
    expect(await resolved(keys)).toMatchObject({ roomsProvider: 'daily', roomsApiKey: 'of-daily' });
    expect(await resolved({ ...keys, ROOMS_PROVIDER: 'lobby' })).toMatchObject({ roomsApiKey: 'of-lobby' });
    const ours = { ROOMS_API_KEY: 'of-daily', ROOMS_API_URL: 'https://api.daily.co/v1', LOBBY_KEY: 'of-lobby' };
    const restoring = await resolveConfig({ flags: { roomsProvider: 'lobby' }, environment: ours, directory });
    expect([restoring.roomsApiKey, restoring.roomsApiUrl]).toEqual(['of-lobby', undefined]);
    expect((await resolved({ DAILY_API_KEY: 'of-daily', ROOMS_PROVIDER: 'lobby' })).roomsApiKey).toBeUndefined();
  } finally {
    stop();
  }
});
