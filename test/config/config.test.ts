import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigSources, resolveConfig } from '../../src/config/config.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-config-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (name: string, content: string) => writeFileSync(join(directory, name), content);
const resolve = (sources: Partial<ConfigSources> = {}) =>
  resolveConfig({ flags: {}, environment: {}, directory, ...sources });

test('has a default for what a first run needs, and nothing else', async () => {
  expect(await resolve()).toEqual({
    transport: 'carrier',
    host: '127.0.0.1',
    port: 7860,
    tunnel: 'auto',
    callsPerProcess: 1,
    warm: 1,
    botMemoryMib: 1_024,
    browserPages: 20,
    drainSeconds: 30,
    log: 'text',
    logBots: 'off',
    dialPerMinute: 10,
    dialAtOnce: 5,
    dialMaxSeconds: 900,
    ringSeconds: 45,
    machineDetection: 'off',
    maxCallSeconds: 3_600,
    silenceSeconds: 180,
    recordDays: 7,
    recordMib: 1_024,
    roomsProvider: 'daily',
    carriers: { carrier: 'plivo', isNamed: false, why: 'no credentials are set', accounts: [] },
    environment: {},
    environmentFiles: [],
    isPortNamed: false,
    secondNames: [],
  });
});

test('flags win over the environment, over .env.local, over .env, over the file, over the default', async () => {
  const port = async (sources?: Partial<ConfigSources>) => (await resolve(sources)).port;
  write('voicebot.config.json', '{ "port": 5 }');
  expect(await port()).toBe(5);
  write('.env', 'VOICEBOT_PORT=4');
  expect(await port()).toBe(4);
  write('.env.local', 'VOICEBOT_PORT=3');
  expect(await port()).toBe(3);
  const environment = { VOICEBOT_PORT: '2' };
  expect(await port({ environment })).toBe(2);
  expect(await port({ environment, flags: { port: 1 } })).toBe(1);
});

test.each([
  [{ flags: { port: 7860 } }, '', true],
  [{ environment: { VOICEBOT_PORT: '7860' } }, '', true],
  [{}, '{ "port": 7860 }', true],
  [{}, '{}', false],
])('knows whether the port was named: %j %s', async (sources, file, isPortNamed) => {
  if (file) write('voicebot.config.json', file);
  expect(await resolve(sources)).toMatchObject({ port: 7860, isPortNamed });
});

test('an empty variable counts as not set', async () => {
  write('.env', 'VOICEBOT_PORT=4\nVOICEBOT_HOST=');
  expect(await resolve({ environment: { VOICEBOT_PORT: '' } })).toMatchObject({ port: 4, host: '127.0.0.1' });
});

test('a file may begin with a byte order mark, and have the line ends of Windows', async () => {
  write('.env', '\uFEFFVOICEBOT_PORT=4\r\nexport VOICEBOT_WARM=2\r\n');
  write('voicebot.config.json', '\uFEFF{ "drainSeconds": 5 }\r\n');
  expect(await resolve()).toMatchObject({ port: 4, warm: 2, drainSeconds: 5 });
});

test('a file may be in UTF-16, as Windows PowerShell writes it', async () => {
  writeFileSync(join(directory, '.env'), '\uFEFFVOICEBOT_PORT=4\r\n', 'utf16le');
  expect(await resolve()).toMatchObject({ port: 4 });
});

test('names a file that cannot be read', async () => {
  mkdirSync(join(directory, '.env'));
  await expect(resolve()).rejects.toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: expect.stringContaining('.env could not be read: EISDIR'),
  });
});

test('of the names in a file those without a value are not told', async () => {
  write('.env', 'A=\nB=1\n');
  expect((await resolve()).environmentFiles).toEqual([{ file: '.env', names: ['B'] }]);
});

test('refuses a name of ours in another case', async () => {
  write('.env', 'voicebot_port=7999\n');
  await expect(resolve()).rejects.toThrow('voicebot_port in .env is not a setting; did you mean VOICEBOT_PORT?');
});

test('gives bots the variables of the environment over those of .env.local over those of .env', async () => {
  write('.env', 'A=env\nB=env\nC=env');
  write('.env.local', 'A=local\nB=local');
  const { environment, environmentFiles } = await resolve({ environment: { A: 'process', D: undefined, E: '' } });
  expect(environment).toEqual({ A: 'process', B: 'local', C: 'env' });
  expect(environmentFiles).toEqual([
    { file: '.env.local', names: ['A', 'B'] },
    { file: '.env', names: ['A', 'B', 'C'] },
  ]);
});

test.each([
  ['voicebot.config.json', '{ "port": 8001, "publicUrl": "https://bot.example.com" }'],
  ['voicebot.config.mjs', 'export default { port: 8001, publicUrl: "https://bot.example.com" };'],
])('reads %s', async (name, content) => {
  write(name, content);
  expect(await resolve()).toMatchObject({ port: 8001, publicUrl: 'https://bot.example.com' });
});

test('takes the countries to dial as a list of words from a variable and as a list from a file', async () => {
  write('voicebot.config.json', '{ "dialCountries": ["us", "CA"] }');
  expect((await resolve()).dialCountries).toEqual(['US', 'CA']);
  expect((await resolve({ environment: { VOICEBOT_DIAL_COUNTRIES: 'gb,de' } })).dialCountries).toEqual(['GB', 'DE']);
});

test('takes the token of the runner from the environment, never from the file', async () => {
  const environment = { VOICEBOT_TOKEN: 'a-token-of-the-runner' };
  expect(await resolve({ environment })).toMatchObject({ runnerToken: 'a-token-of-the-runner' });
  write('voicebot.config.json', '{ "runnerToken": "a-token-of-the-runner" }');
  await expect(resolve()).rejects.toThrow(
    'runnerToken in voicebot.config.json: set VOICEBOT_TOKEN; a secret does not belong in this file',
  );
});

test.each([
  ['VOICEBOT_WRAM', 'VOICEBOT_WRAM in the environment is not a setting; did you mean VOICEBOT_WARM?'],
  ['VOICEBOT_AUTH_TOKEN', 'VOICEBOT_AUTH_TOKEN in the environment is not a setting'],
  ['VOICEBOT_CALLSPERPROCESS', 'is not a setting; did you mean VOICEBOT_CALLS_PER_PROCESS?'],
  ['VOICEBOT_TEST', 'VOICEBOT_TEST in the environment is not a setting'],
])('refuses the variable %s, which nobody reads', async (name, message) => {
  await expect(resolve({ environment: { [name]: '2' } })).rejects.toThrow(
    new RegExp(`${message.replace('?', '\\?')}$`),
  );
});

test('refuses a variable that nobody reads in a file too, and lets an empty one be', async () => {
  write('.env', 'VOICEBOT_WRAM=2\nVOICEBOT_PROT=');
  await expect(resolve()).rejects.toThrow(/: VOICEBOT_WRAM in .env is not a setting; did you mean VOICEBOT_WARM\?$/);
});

test('refuses VOICEBOT_HOME in a file, where no command would find it', async () => {
  write('.env', 'VOICEBOT_HOME=/data');
  await expect(resolve()).rejects.toThrow('VOICEBOT_HOME in .env is not read: set it in the environment');
  expect(await resolve({ environment: { VOICEBOT_HOME: '/data' } })).toBeDefined(); // compose hands the same file over
});

test.each([
  ['wram', 'wram in voicebot.config.json is not a setting; did you mean warm?'],
  ['dial_countries', 'is not a setting; did you mean dialCountries?'],
  ['VOICEBOT_WARM', 'VOICEBOT_WARM in voicebot.config.json is not a setting; did you mean warm?'],
  ['runner_token', 'runner_token in voicebot.config.json: set VOICEBOT_TOKEN; a secret does not belong in this file'],
])('says what was probably meant by the key %s of the file', async (key, message) => {
  write('voicebot.config.json', JSON.stringify({ [key]: 2 }));
  await expect(resolve()).rejects.toThrow(message);
});

test.each([
  ['the environment', 'CARRIER_APPLICATION', { CARRIER_APPLICATION: 'existing' }],
  ['.env', 'CARRIER_APPLICATION', {}],
  ['voicebot.config.json', 'carrierApplication', {}],
])(
  'refuses to change an existing application when %s asks for it, and says what to do',
  async (place, name, environment) => {
    if (place === '.env') write('.env', 'CARRIER_APPLICATION=existing');
    if (place === 'voicebot.config.json') write(place, '{ "carrierApplication": "existing", "colour": true }');
    await expect(resolve({ environment })).rejects.toMatchObject({
      code: 'VB_CONFIG_INVALID',
      message: expect.stringContaining(
        `${name} in ${place} must not be set any more: every number gets an application of its own`,
      ),
      hint: expect.stringMatching(/^unset it: .+ the other numbers are not touched; .+ configure-number$/),
    });
  },
);

test('takes the application that every number gets for what it is, and warns once that the setting goes away', async () => {
  write('voicebot.config.json', '{ "carrierApplication": "own" }');
  const sentences: string[] = [];
  const warn = (sentence: string) => void sentences.push(sentence);
  const environment = { CARRIER_APPLICATION: 'own' };
  expect(await resolveConfig({ flags: {}, environment, directory, warn })).toMatchObject({ port: 7860 });
  await resolveConfig({ flags: {}, environment, directory, warn });
  expect(sentences).toEqual([
    'CARRIER_APPLICATION in the environment is deprecated and goes away in voicebot 2.0.0: unset it, it has no effect',
  ]);
});

describe('second names', () => {
  const account = { PLIVO_AUTH_ID: 'MATEST', PLIVO_AUTH_TOKEN: 'secret-1', DAILY_API_KEY: 'secret-2' };

  test('those of other tools are taken for ours, and it is told where they come from', async () => {
    write('.env', 'PLIVO_AUTH_ID=MATEST');
    const { PLIVO_AUTH_ID: _, ...environment } = account;
    expect(await resolve({ environment })).toMatchObject({
      carriers: { accounts: [{ carrier: 'plivo', authId: 'MATEST', authToken: 'secret-1' }] },
      roomsApiKey: 'secret-2',
      secondNames: [
        { name: 'PLIVO_AUTH_ID', variable: 'CARRIER_AUTH_ID', source: '.env' },
        { name: 'PLIVO_AUTH_TOKEN', variable: 'CARRIER_AUTH_TOKEN', source: 'the environment' },
        { name: 'DAILY_API_KEY', variable: 'ROOMS_API_KEY', source: 'the environment' },
      ],
    });
  });

  test('our own name counts first, wherever it is set', async () => {
    write('.env', 'CARRIER_AUTH_ID=MAOURS');
    const { carriers, secondNames } = await resolve({ environment: account });
    expect(carriers.accounts).toEqual([expect.objectContaining({ authId: 'MAOURS', authToken: 'secret-1' })]);
    expect(secondNames.map(({ name }) => name)).toEqual(['PLIVO_AUTH_TOKEN', 'DAILY_API_KEY']);
  });

  test('a value that cannot be is told under the name that it has', async () => {
    const environment = { PLIVO_AUTH_ID: '../secret' };
    await expect(resolve({ environment })).rejects.toThrow('PLIVO_AUTH_ID in the environment must be letters, digits');
  });
});

test("bots do not get the runner's own secrets", async () => {
  write('.env', 'NGROK_AUTHTOKEN=secret\nA_KEY=for-the-bot');
  const environment = {
    VOICEBOT_TOKEN: 'a-token-of-the-runner',
    ROOMS_WEBHOOK_SECRET: 'c2VjcmV0IG9mIHdlYmhvb2tz',
    VOICEBOT_EVENTS_SECRET: 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIDMyIGJ5dGVzLi4=',
  };
  expect((await resolve({ environment })).environment).toEqual({ A_KEY: 'for-the-bot' });
});

test('the result is frozen', async () => {
  const config = await resolve();
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.environment)).toBe(true);
});

test('names every problem at once, with its source, and never the value', async () => {
  write('.env', 'CARRIER_PHONE_NUMBER=secret-1\nCARRIER_AUTH_ID=../secret-2');
  write('voicebot.config.json', '{ "warm": "many", "colour": true, "valueOf": 1, "carrierAuthToken": "secret-3" }');
  const environment = { VOICEBOT_PUBLIC_URL: 'http://secret-4.example.com' };
  const error: Error & { code: string; hint: string } = await resolve({ environment }).then(
    () => {
      throw new Error('resolved');
    },
    (reason) => reason,
  );
  expect(error.code).toBe('VB_CONFIG_INVALID');
  const parts = [
    'colour in voicebot.config.json is not a setting',
    'valueOf in voicebot.config.json is not a setting',
    'carrierAuthToken in voicebot.config.json: set CARRIER_AUTH_TOKEN; a secret does not belong in this file',
    'VOICEBOT_PUBLIC_URL in the environment must be an https address without a path',
    'warm in voicebot.config.json must be a whole number from 1 to 100',
    'CARRIER_AUTH_ID in .env must be letters, digits',
    'CARRIER_PHONE_NUMBER in .env must be a telephone number',
  ];
  const lines = error.message.replace('Configuration is not valid: ', '').split('\n');
  expect(lines).toHaveLength(parts.length);
  for (const part of parts) expect(lines).toContainEqual(expect.stringContaining(part));
  expect(error.hint).toMatch(/^voicebot.config.json may have: bot, transport, host, /);
  expect(error.hint).not.toMatch(/runnerToken|carrierAuth/);
  expect(error.message).not.toContain('secret-');
});

test.each([
  ['voicebot.config.json', '{', 'voicebot.config.json could not be read'],
  ['voicebot.config.json', '[]', 'must hold an object of settings'],
  ['voicebot.config.mjs', 'throw new Error("on purpose")', 'could not be read: on purpose'],
  ['voicebot.config.mjs', 'export const port = 1;', 'must hold an object of settings'],
])('refuses %s holding %j', async (name, content, message) => {
  write(name, content);
  await expect(resolve()).rejects.toThrow(message);
});

test('refuses two config files', async () => {
  write('voicebot.config.json', '{}');
  write('voicebot.config.mjs', 'export default {}');
  await expect(resolve()).rejects.toThrow('voicebot.config.json and voicebot.config.mjs both exist; keep one');
});
