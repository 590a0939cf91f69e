/** What the doctor says of what a bot needs beside an account. The bot's processes count as loaded: none is started. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BotPool } from '../../src/runner/bots/bot-pool.js';
import { doctorArgs, findingsOf } from './examination.js';
import { command } from './in-process.js';
import { withoutPauses } from './without-pauses.js';

let directory: string;
let server: Server;
/** What the provider answers to each key. */
let answers: Record<string, number>;
let asked: string[];
beforeEach(async () => {
  jest.spyOn(BotPool.prototype, 'start').mockResolvedValue();
  jest.spyOn(BotPool.prototype, 'replace').mockResolvedValue();
  directory = mkdtempSync(join(tmpdir(), 'voicebot-doctor-'));
  answers = {};
  asked = [];
  server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url}`);
    const key = String(headers['x-api-key'] ?? headers.authorization?.split(' ')[1]);
    response.writeHead(answers[key] ?? 401).end('{"message":"as the test says"}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  jest.restoreAllMocks();
  server.close().closeAllConnections();
  rmSync(directory, { recursive: true });
});

const BOT = `
  vb.requireKeys('this bot', ['deepgram']);
  export async function bot() { new vb.CartesiaTTS(); transport.transfer(vb.operatorNumber()); }
`;

async function findings(environment: Record<string, string>, code = BOT) {
  writeFileSync(join(directory, 'bot.mjs'), code);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const addresses = { DEEPGRAM_BASE_URL: url, CARTESIA_BASE_URL: url, OPENAI_BASE_URL: url, VOICEBOT_HOME: directory };
  const args = doctorArgs(environment.CARRIER_AUTH_ID ? '--tunnel none --json' : '--json');
  const result = await findingsOf(command(args.split(' '), directory, { ...addresses, ...environment }).finished);
  const all = (name: string) => result.checks.filter(({ check }) => check === name);
  return { ...result, keys: all('keys'), operator: all('operator'), voice: all('voice') };
}

const BOTH_KEYS = { DEEPGRAM_API_KEY: 'a-key', CARTESIA_API_KEY: 'another-key' };

test("asks each provider of the bot's services whether it takes the key", async () => {
  answers = { 'a-key': 200, 'another-key': 200 };
  const { keys, stderr } = await findings({ ...BOTH_KEYS, OPENAI_API_KEY: 'not-the-bots' });
  expect(keys).toMatchObject([
    { status: 'ok', message: 'Deepgram takes DEEPGRAM_API_KEY' },
    { status: 'ok', message: 'Cartesia takes CARTESIA_API_KEY' },
  ]);
  expect(asked.toSorted()).toEqual(['GET /v1/auth/token', 'GET /voices?limit=1']);
  expect(stderr).not.toContain('a-key');
});

test('a key that is refused is a failure: 4, naming the variable', async () => {
  answers = { 'a-key': 200 };
  const { exitCode, keys } = await findings(BOTH_KEYS);
  expect({ exitCode, refused: keys[1] }).toMatchObject({
    exitCode: 4,
    refused: {
      status: 'failure',
      code: 'VB_CREDENTIALS_REFUSED',
      message: expect.stringContaining('Cartesia'),
      fix: expect.stringContaining('CARTESIA_API_KEY'),
    },
  });
});

test('a provider that does not say is a warning, as is a key that is not there', async () => {
  answers = { 'a-key': 503 };
  const { keys } = await findings({ DEEPGRAM_API_KEY: 'a-key' });
  expect(keys).toMatchObject([
    { status: 'warning', message: expect.stringContaining('503') },
    { status: 'warning', message: 'the bot uses Cartesia, and CARTESIA_API_KEY is not set' },
  ]);
});

test('a voice that gives whole answers is told', async () => {
  const { voice } = await findings({}, "export async function bot() { return openai.speech('tts-1'); }");
  expect(voice).toMatchObject([{ status: 'ok', message: expect.stringContaining('asked sentence by sentence') }]);
});

describe('a bot that transfers callers', () => {
  const account = {
    CARRIER_AUTH_ID: 'MATEST',
    CARRIER_AUTH_TOKEN: 'a-token',
    CARRIER_API_URL: 'http://127.0.0.1:9/v1',
  };
  const code = 'export async function bot() { transport.transfer(vb.operatorNumber()); }';

  test.each([
    ['to an operator who is not set: a warning', {}, 'warning', 'OPERATOR_NUMBER, which is not set'],
    ['to the one of the examples: a warning', { OPERATOR_NUMBER: '+12025550101' }, 'warning', 'an unassigned number'],
    ['to one who is set', { OPERATOR_NUMBER: '+4930123456' }, 'ok', '+4930123456'],
  ])('%s', async (_what, more, status, words) => {
    const { operator } = await withoutPauses(() => findings({ ...account, ...more }, code));
    expect(operator).toMatchObject([{ status, message: expect.stringContaining(words) }]);
  });

  test('on the sandbox has one there', async () => {
    expect((await findings({}, code)).operator).toEqual([]);
  });
});
