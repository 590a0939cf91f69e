import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCOUNT_SID, AUTH_TOKEN } from '../providers/twilio/api-account.js';
import { DESK_URL, NumbersAccount } from '../providers/twilio/routed-account.js';
import { command } from './in-process.js';

const [TALKS, TEXTS, OTHER] = ['+12025550100', '+12025550101', '+12025550102'];
const OURS = /\b(?:CARRIER|ROOMS)_\w+/;

let account: NumbersAccount;
let home: string;
beforeEach(async () => {
  account = await NumbersAccount.start([
    { voice_url: DESK_URL, capabilities: { voice: true } },
    { capabilities: { voice: false, sms: true } },
    { capabilities: { voice: true } },
  ]);
  home = mkdtempSync(join(tmpdir(), 'voicebot-numbers-'));
});
afterEach(async () => {
  expect(account.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  await account[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

/** Of a person who has set the carrier's own variables. */
async function twilio(words: string, environment: Record<string, string> = {}) {
  const own = { TWILIO_ACCOUNT_SID: ACCOUNT_SID, TWILIO_AUTH_TOKEN: AUTH_TOKEN, CARRIER_API_URL: account.apiUrl };
  const all = { PATH: process.env.PATH, VOICEBOT_HOME: home, ...own, ...environment };
  const { exitCode, stderr, events } = await command([...words.split(' '), '--json'], home, all).finished;
  const error = events.find(({ event }) => event === 'error') as Record<string, string> | undefined;
  return { exitCode, error, stderr, events };
}

const RUN = 'run --dialin --port 0 --public-url http://127.0.0.1:9';

test('of several numbers none is taken without a choice: each has its command, and none without voice is among them', async () => {
  const { exitCode, error } = await twilio(RUN);
  expect({ exitCode, code: error?.code }).toEqual({ exitCode: 3, code: 'VB_NUMBER_AMBIGUOUS' });
  expect(error?.message).toBe(
    `The account has several numbers, and none is chosen: which one shall the bot answer: ${TALKS}, ${OTHER}?`,
  );
  expect(error?.next).toBe(`npx voicebot run --dialin --number ${TALKS}`);
  expect(error?.hint).toContain(`npx voicebot run --dialin --number ${OTHER}`);
  expect(error?.hint).not.toContain(TEXTS);
});

test.each([
  ['run', `${RUN} --number ${TEXTS}`, {}],
  ['run', RUN, { TWILIO_PHONE_NUMBER: TEXTS ?? '' }],
  ['configure-number', `configure-number ${TEXTS} --url https://bot.example.com --yes`, {}],
])(
  '%s refuses a number that no call comes to, and names those that calls come to',
  async (_name, words, environment) => {
    const { exitCode, error } = await twilio(words, environment);
    expect({ exitCode, code: error?.code }).toEqual({ exitCode: 3, code: 'VB_NUMBER_NO_VOICE' });
    expect(error?.message).toContain(`${TEXTS} has no voice at the provider`);
    expect(error?.hint).toContain(`${TALKS}, ${OTHER}`);
  },
);

test('the list of numbers says which one no call comes to', async () => {
  const own = { TWILIO_ACCOUNT_SID: ACCOUNT_SID, TWILIO_AUTH_TOKEN: AUTH_TOKEN, CARRIER_API_URL: account.apiUrl };
  const { stdout } = await command(['configure-number'], home, { VOICEBOT_HOME: home, ...own }).finished;
  expect(stdout).toContain(`${TEXTS}  twilio   no call: the number has no voice`);
});

test.each([
  ['an unknown number', `${RUN} --number +12025550142`, {}, 'Set TWILIO_PHONE_NUMBER to one of them, or use --number'],
  ['an unknown number, ours', RUN, { CARRIER_PHONE_NUMBER: '+12025550142' }, 'Set CARRIER_PHONE_NUMBER to one'],
])('%s: the hint speaks of the variable that was used', async (_what, words, environment, hint) => {
  const { error } = await twilio(words, environment);
  expect(error?.code).toBe('VB_NUMBER_UNKNOWN');
  expect(error?.hint).toContain(hint);
});

describe('an API that is not the carrier', () => {
  let server: Server;
  let reply: { status: number; body: string };
  let url: string;
  beforeEach(async () => {
    server = createServer((_, response) => response.writeHead(reply.status).end(reply.body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => server.close());

  test.each([
    [{ status: 200, body: '<html><title>Sign in to the Wi-Fi</title></html>' }, 'got a web page'],
    [{ status: 302, body: '' }, 'got an answer with status 302'],
    [{ status: 200, body: '{"hello":"world"}' }, 'got an answer without a list'],
  ])('is named as something else: %j', async (given, message) => {
    reply = given;
    const { exitCode, error } = await twilio(RUN, { CARRIER_API_URL: url });
    expect({ exitCode, code: error?.code }).toEqual({ exitCode: 5, code: 'VB_CARRIER_REQUEST_FAILED' });
    expect(error?.message).toContain(`listing the numbers ${message}`);
    expect(error?.hint).toContain('something else answers in place of the provider');
    expect(error?.hint).toContain('what CARRIER_API_URL names');
  });

  test.each([
    ['a wrong token', {}, /^check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN: /],
    ['a wrong key', { TWILIO_API_KEY: 'SK1', TWILIO_API_SECRET: 'x' }, /^check TWILIO_API_KEY and TWILIO_API_SECRET: /],
  ])('%s: the hint speaks of what was set, and of regions', async (_what, environment, hint) => {
    reply = { status: 401, body: '{"code":20003,"message":"Authenticate","status":401}' };
    const { exitCode, error } = await twilio(RUN, { CARRIER_API_URL: url, ...environment });
    expect({ exitCode, code: error?.code }).toEqual({ exitCode: 4, code: 'VB_CREDENTIALS_REFUSED' });
    expect(error?.hint).toMatch(hint);
    expect(error?.hint).not.toMatch(OURS);
    expect(error?.hint).toContain('TWILIO_REGION');
  });
});
