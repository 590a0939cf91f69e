import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { silentLogger } from '../../../src/base/logger.js';
import { RunnerAccess } from '../../../src/runner/http/access.js';
import { typedRoute } from '../../../src/runner/http/typed-route.js';

const TOKEN = 'a-token-of-enough-characters';

let server: Server;
const typed: [call: string, text: string, at?: number | undefined, by?: string | undefined][] = [];

beforeAll(async () => {
  const router = typedRoute({
    access: new RunnerAccess(TOKEN, undefined, false),
    registry: { get: (call) => (call === 'unknown' ? undefined : {}) },
    supervisor: {
      type: (call, text, at, by) => {
        typed.push(by ? [call, text, at, by] : [call, text, at]);
        return call !== 'deaf';
      },
    },
    logger: silentLogger,
  });
  server = createServer(express().use(router));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function post(call: string, body: string, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/calls/${call}/typed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
    body,
  });
  return { status: response.status, json: await response.json() };
}

test('hands a sentence to the bot of the call', async () => {
  expect(await post('a%20b', '{"text":" Are you open? "}')).toEqual({ status: 202, json: { version: 1 } });
  expect(typed.splice(0)).toEqual([['a b', 'Are you open?', undefined]]);
});

test('tells when a sentence was typed', async () => {
  const before = Date.now();
  expect(await post('call', '{"text":"Hello?","agoMs":5000}')).toMatchObject({ status: 202 });
  const at = typed.splice(0)[0]?.[2] ?? 0;
  expect(at).toBeGreaterThanOrEqual(before - 5_000);
  expect(at).toBeLessThanOrEqual(Date.now() - 5_000);
});

test('tells that a browser has understood a sentence', async () => {
  expect(await post('call', '{"text":"Hello?","by":"browser"}')).toMatchObject({ status: 202 });
  expect(typed.splice(0)).toEqual([['call', 'Hello?', undefined, 'browser']]);
});

test.each([
  ['a call that is not known', 404, 'unknown', '{"text":"Hello?"}', {}, 'knows no such call'],
  ['a call whose bot takes none', 409, 'deaf', '{"text":"Hello?"}', {}, 'takes no typed sentences'],
  ['a stranger', 401, 'call', '{"text":"Hello?"}', { authorization: 'Bearer wrong' }, 'send the token'],
  ['another form', 415, 'call', 'text=Hello', { 'content-type': 'text/plain' }, 'must be application/json'],
  ['no JSON', 400, 'call', '{', {}, 'JSON'],
  ['no text', 400, 'call', '{"text":" "}', {}, 'text is empty'],
  ['a long text', 400, 'call', JSON.stringify({ text: 'a'.repeat(1_001) }), {}, 'more than 1000 characters'],
  ['another field', 400, 'call', '{"text":"Hello?","to":1}', {}, 'and nothing else'],
  ['a sentence of the future', 400, 'call', '{"text":"Hello?","agoMs":-1}', {}, 'agoMs must be a number from 0'],
  ['somebody else who has understood it', 400, 'call', '{"text":"Hello?","by":"me"}', {}, 'by must be "browser"'],
  ['a huge body', 400, 'call', ' '.repeat(9_000), {}, 'more than 8192 bytes'],
])('%s: %d', async (_what, status, call, body, headers, message) => {
  expect(await post(call, body, headers)).toEqual({
    status,
    json: { version: 1, error: expect.objectContaining({ message: expect.stringContaining(message) }) },
  });
});
