import { decodeWav } from '../../../src/base/audio/wav.js';
import { VoicebotError } from '../../../src/base/errors.js';
import type { PhoneNetworkAccess } from '../../../src/runner/http/phone-routes.js';
import { sine } from '../../base/audio/signals.js';
import { type HttpRequest, send } from '../hand-carrier.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { RunnerUnderTest } from '../runner-under-test.js';

let asked: string[];
let speak: PhoneNetworkAccess['speak'];
let served: RunnerUnderTest;

beforeAll(async () => {
  const phoneNetwork: PhoneNetworkAccess = {
    address: async () => 'ws://127.0.0.1:1/network/phones?token=secret-of-the-network',
    isLocalOnly: false,
    callers: [{ number: '+12025550199', note: 'A caller.' }],
    numbers: [{ number: '+12025550100', note: 'The bot.' }],
    callees: [{ number: '+12025550102', note: 'Is busy.' }],
    speak: (text) => {
      asked.push(text);
      return speak(text);
    },
  };
  served = await RunnerUnderTest.start({ ...IN_PROCESS, phoneNetwork });
});
beforeEach(() => {
  asked = [];
  speak = async () => sine(500, 8_000, 1_600);
});
afterAll(() => served[Symbol.asyncDispose]());

const ask = (path: string, request?: HttpRequest) => send(`${served.runner.url}${path}`, request);
const JSON_TYPE = { 'content-type': 'application/json' };
const say = (body: unknown, headers: Record<string, string> = {}) =>
  ask('/phone/speech', { method: 'POST', body: JSON.stringify(body), headers: { ...JSON_TYPE, ...headers } });
const ELSEWHERE = { host: 'bot.example.com' };

test('the page learns which numbers there are, and nothing that lets others in', async () => {
  const { status, body } = await ask('/phone/numbers');
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({
    version: 1,
    transport: 'carrier',
    number: '+12025550100',
    callers: [{ number: '+12025550199', note: 'A caller.' }],
    numbers: [{ number: '+12025550100', note: 'The bot.' }],
    callees: [{ number: '+12025550102', note: 'Is busy.' }],
  });
});

test('a text comes back spoken, at the rate of a telephone', async () => {
  const { status, headers } = await say({ text: '  What \n time is it? ' });
  expect([status, headers['content-type']]).toEqual([200, 'audio/wav']);
  expect(asked).toEqual(['What time is it?']);
  const response = await fetch(`${served.runner.url}/phone/speech`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"text":"again"}',
  });
  const { sampleRate, channels } = decodeWav(new Uint8Array(await response.arrayBuffer()));
  expect([sampleRate, channels.length, channels[0].length]).toEqual([8_000, 1, 1_600]);
});

test.each([
  ['no text', {}, 'text must be a string'],
  ['no words', { text: ' \n ' }, 'text is empty'],
  ['too many', { text: 'x'.repeat(501) }, 'text has more than 500 characters'],
  ['something else', { text: 'hello', voice: 'loud' }, 'nothing else'],
  ['a whole book', { text: 'x'.repeat(20_000) }, 'more than 8192 bytes'],
])('%s is not spoken', async (_what, request, why) => {
  const { status, body } = await say(request);
  expect([status, JSON.parse(body).error]).toEqual([
    400,
    expect.objectContaining({ code: 'VB_REQUEST_INVALID', message: expect.stringContaining(why) }),
  ]);
  expect(asked).toEqual([]);
});

test('what no page of ours sends is not read', async () => {
  expect((await say({ text: 'hello' }, { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await say({ text: 'hello' }, { origin: 'https://evil.example.com' })).status).toBe(401);
  expect((await say({ text: 'hello' }, ELSEWHERE)).status).toBe(401);
  expect((await ask('/phone/numbers', { headers: ELSEWHERE })).status).toBe(404);
  expect(asked).toEqual([]);
});

test('a machine without a voice says what to do', async () => {
  const hint = 'npm install a-voice';
  speak = () => Promise.reject(new VoicebotError('VB_CONFIG_INVALID', 'there is no voice', { hint }));
  const { status, body } = await say({ text: 'hello' });
  expect([status, JSON.parse(body).error]).toEqual([503, expect.objectContaining({ code: 'VB_CONFIG_INVALID', hint })]);
});

test('on an account there is nothing to ask', async () => {
  await using other = await RunnerUnderTest.start(IN_PROCESS);
  const url = other.runner.url;
  expect((await send(`${url}/phone/numbers`)).status).toBe(404);
  const request = { method: 'POST', headers: JSON_TYPE, body: '{"text":"hello"}' };
  expect((await send(`${url}/phone/speech`, request)).status).toBe(404);
});
