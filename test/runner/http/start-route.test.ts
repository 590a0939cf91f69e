import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { VoicebotError } from '../../../src/base/errors.js';
import { ProviderRequestError } from '../../../src/base/http/provider-request-error.js';
import type { LogFields, Logger } from '../../../src/base/logger.js';
import { RESERVED_PARAMETERS } from '../../../src/runner/dialing/call-tickets.js';
import { DialLimitError } from '../../../src/runner/dialing/dial-limits.js';
import type { StartedCall, StartRequest } from '../../../src/runner/dialing/start-request.js';
import { MAX_START_BYTES } from '../../../src/runner/dialing/start-request.js';
import { RunnerAccess } from '../../../src/runner/http/access.js';
import { startRoute } from '../../../src/runner/http/start-route.js';

const TOKEN = 'a-token-of-enough-characters';
const JSON_TYPE = { 'content-type': 'application/json' };
const CALL = '{"phone_number":"+15551234567"}';

let server: Server;
let dialled: StartRequest[];
let logged: [message: string, fields: LogFields | undefined][];
let dial: (request: StartRequest) => Promise<StartedCall>;
let warnings: string[];

beforeEach(async () => {
  dialled = [];
  logged = [];
  warnings = [];
  dial = async () => ({ callId: `out_${dialled.length}`, providerCallId: 'carrier-1' });
  const write = (message: string, fields?: LogFields) => void logged.push([message, fields]);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const router = startRoute({
    access: new RunnerAccess(TOKEN),
    dial: (request) => {
      dialled.push(request);
      return dial(request);
    },
    warnings,
    logger,
  });
  const app = express().disable('x-powered-by').disable('etag').use(router);
  app.use((_request, response) => void response.status(404).end());
  server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const port = () => (server.address() as AddressInfo).port;

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  body: any;
}

async function send(
  {
    method = 'POST',
    path = '/start',
    headers = {},
  }: { method?: string; path?: string; headers?: Record<string, string> },
  body: string | Buffer = CALL,
): Promise<Answer> {
  const sent = httpRequest({ host: '127.0.0.1', port: port(), method, path, headers: { ...JSON_TYPE, ...headers } });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const answer = await text(response);
  return { status: response.statusCode, headers: response.headers, body: answer ? JSON.parse(answer) : undefined };
}

async function raw(lines: string[], body = CALL): Promise<string> {
  const socket = connect(port(), '127.0.0.1');
  socket.write([...lines, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body].join('\r\n'));
  return text(socket);
}

describe('a request that is in order', () => {
  test('is dialled and answered with both identifiers and where to look', async () => {
    const answer = await send(
      { path: '/start?user_id=42&campaign=spring%20%26%20summer' },
      '{"phone_number":"+15551234567","body":{"user":{"firstName":"Ada"}}}',
    );
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: '/calls/out_1', 'content-type': 'application/json; charset=utf-8' },
      body: { version: 1, call_id: 'out_1', carrier_call_id: 'carrier-1' },
    });
    expect(dialled).toEqual([
      {
        phoneNumber: '+15551234567',
        body: { user: { firstName: 'Ada' } },
        parameters: { user_id: '42', campaign: 'spring & summer' },
      },
    ]);
  });

  test('has neither body nor parameters if it wants none', async () => {
    await send({});
    expect(dialled).toEqual([{ phoneNumber: '+15551234567', body: {}, parameters: {} }]);
  });

  test('may name the span of whoever sends it; what names none is passed over', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    for (const header of [traceparent, `${traceparent}-more`, traceparent.replace('00-', 'ff-'), 'x'])
      expect(await send({ headers: { traceparent: header } })).toMatchObject({ status: 202 });
    const [named, ...others] = dialled.map((request) => request.traceparent);
    expect([named, ...others]).toEqual([traceparent, `${traceparent}-more`, undefined, undefined]);
  });

  test('is answered with null where the carrier has not named the call yet', async () => {
    dial = async () => ({ callId: 'out_1', providerCallId: undefined });
    expect((await send({})).body).toEqual({ version: 1, call_id: 'out_1', carrier_call_id: null });
    warnings.push('OPERATOR_NUMBER is not set');
    expect((await send({})).body).toMatchObject({ warnings });
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=utf-8'])(
    'may be %j',
    async (type) => {
      expect((await send({ headers: { 'content-type': type } })).status).toBe(202);
    },
  );
});

describe('who asks', () => {
  test.each([
    ['the name of a tunnel', ['Host: bot.example.com'], 401],
    ['the name of a tunnel and the token', ['Host: bot.example.com', `Authorization: Bearer ${TOKEN}`], 202],
    ['a wrong token', ['Host: bot.example.com', `Authorization: Bearer ${TOKEN}x`], 401],
    ['this machine', ['Host: localhost'], 202],
    ['a forwarded request', ['Host: localhost', 'X-Forwarded-For: 203.0.113.7'], 401],
    ['two names', ['Host: localhost', 'Host: bot.example.com'], 401],
    ['a page elsewhere', ['Host: localhost', 'Origin: https://evil.example.com'], 401],
    ['a page without an address', ['Host: localhost', 'Origin: null'], 401],
    ['a page that hides', ['Host: localhost', 'Sec-Fetch-Site: cross-site'], 401],
    ['a page on this machine', ['Host: localhost', 'Origin: http://localhost:3000'], 202],
  ])('%s', async (_what, headers, status) => {
    const answer = await raw(['POST /start HTTP/1.1', 'Content-Type: application/json', ...headers]);
    expect(answer).toMatch(`HTTP/1.1 ${status} `);
    expect(dialled).toHaveLength(status === 202 ? 1 : 0);
  });

  test('a stranger is told how to be known', async () => {
    const answer = await send({ headers: { host: 'bot.example.com' } });
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: { version: 1, error: { code: 'VB_UNAUTHORISED', hint: expect.stringContaining('VOICEBOT_TOKEN') } },
    });
    expect(answer.headers.location).toBeUndefined();
  });

  test('a stranger is answered before the body has come', async () => {
    const socket = connect(port(), '127.0.0.1');
    socket.write('POST /start HTTP/1.1\r\nHost: bot.example.com\r\nContent-Length: 1000000\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test('a stranger learns nothing of what else is wrong', async () => {
    const answer = await send(
      { path: '/start?token=1', headers: { host: 'bot.example.com', 'content-type': 'x' } },
      '{',
    );
    expect(answer.body.error.code).toBe('VB_UNAUTHORISED');
  });
});

describe('pages of other origins', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'cannot send what needs no permission: %j',
    async (type) => {
      const line = type ? [`Content-Type: ${type}`] : [];
      const answer = await raw(['POST /start HTTP/1.1', 'Host: localhost', ...line]);
      expect(answer).toMatch(/^HTTP\/1\.1 415 /);
      expect(answer).toContain('VB_REQUEST_INVALID');
      expect(dialled).toEqual([]);
    },
  );

  test.each(['application/jsonp', 'application/json, text/plain', 'text/json', 'application/json-seq'])(
    'nor %j',
    async (type) => {
      expect((await send({ headers: { 'content-type': type } })).status).toBe(415);
    },
  );

  test('get no permission when they ask for it', async () => {
    const headers = {
      origin: 'https://evil.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const answer = await send({ method: 'OPTIONS', headers }, '');
    expect(answer.status).toBe(405);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('get no permission to read an answer either', async () => {
    const answer = await send({ headers: { origin: 'http://localhost:3000' } });
    expect(answer.status).toBe(202);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is not answered', async (method) => {
  const answer = await send({ method }, '');
  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toBe('POST');
  expect(dialled).toEqual([]);
});

test('the log says why a request was refused, with the status of the answer', async () => {
  expect((await send({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  const reason = expect.stringContaining('the request must be application/json');
  expect(logged).toEqual([['dial-out refused', { status: 415, code: 'VB_REQUEST_INVALID', reason }]]);
});

test.each(['/START', '/start/', '/start/x', '/starts'])('%s is another path', async (path) => {
  expect((await send({ path })).status).toBe(404);
});

describe('what is sent', () => {
  test.each([
    ['{}', 'phone_number'],
    ['{"phone_number":5}', 'phone_number'],
    ['{"phone_number":"+1","body":[]}', 'body'],
    ['{', 'JSON'],
    ['', 'JSON'],
  ])('%j is refused by name', async (body, named) => {
    expect(await send({}, body)).toMatchObject({
      status: 400,
      body: { version: 1, error: { code: 'VB_REQUEST_INVALID', message: expect.stringContaining(named) } },
    });
    expect(dialled).toEqual([]);
  });

  test('custom data above its limit is refused with the limit', async () => {
    const answer = await send({}, JSON.stringify({ phone_number: '+1', body: { a: 'x'.repeat(8_192) } }));
    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'VB_BODY_TOO_LARGE' } } });
    expect(answer.body.error.message).toContain('8192');
  });

  test('a request above its limit is refused with the limit, announced or not', async () => {
    const body = Buffer.alloc(MAX_START_BYTES + 1, ' ');
    for (const headers of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
      const answer = await send({ headers }, body);
      expect(answer).toMatchObject({ status: 413, body: { error: { code: 'VB_BODY_TOO_LARGE' } } });
      expect(answer.body.error.message).toContain(String(MAX_START_BYTES));
    }
  });

  test('compressed requests are not unpacked', async () => {
    const answer = await send({ headers: { 'content-encoding': 'gzip' } }, gzipSync(CALL));
    expect(answer).toMatchObject({ status: 415, body: { error: { code: 'VB_REQUEST_INVALID' } } });
    expect(dialled).toEqual([]);
  });
});

describe('parameters', () => {
  const filled = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&');

  test('may have 4096 characters as they are encoded, all together', async () => {
    const names = Array.from({ length: 15 }, (_, index) => `p${index}=${'x'.repeat(256)}`).join('&');
    const room = 4_096 - `${names}&q=`.length;
    expect((await send({ path: `/start?${names}&q=${'x'.repeat(room)}` })).status).toBe(202);
    const above = await send({ path: `/start?${names}&q=${'x'.repeat(room + 1)}` });
    expect(above).toMatchObject({ status: 400, body: { error: { code: 'VB_REQUEST_INVALID' } } });
    expect(above.body.error.message).toContain('together they have 4097 characters, the limit is 4096');
    const wide = encodeURIComponent('é'.repeat(256));
    expect((await send({ path: `/start?a=${wide}&b=${wide}&c=${wide}` })).status).toBe(400);
    expect(dialled).toHaveLength(1);
  });

  test('may be 20, with names and values of full length', async () => {
    expect((await send({ path: `/start?${filled(20)}` })).status).toBe(202);
    const longest = `${'a'.repeat(64)}=${'x'.repeat(256)}`;
    expect((await send({ path: `/start?${longest}&constructor=1&empty=` })).status).toBe(202);
    expect(dialled[1]?.parameters).toEqual({ ['a'.repeat(64)]: 'x'.repeat(256), constructor: '1', empty: '' });
  });

  test.each([
    [filled(21), 'more than 20'],
    [`${'a'.repeat(65)}=1`, 'at most 64'],
    [`a=${'x'.repeat(257)}`, '256'],
    ['A=1', '"A"'],
    ['1a=1', '"1a"'],
    ['_a=1', '"_a"'],
    ['a-b=1', '"a-b"'],
    ['__proto__=1', '"__proto__"'],
    ['=1', '""'],
    ['a=1&a=2', 'twice'],
    ['CallUUID=1', '"CallUUID"'],
    ...[...RESERVED_PARAMETERS].map((name): [string, string] => [`${name}=1`, `"${name}" is reserved`]),
  ] as [string, string][])('%s is refused', async (query, problem) => {
    const answer = await send({ path: `/start?${query}` });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VB_REQUEST_INVALID' } } });
    expect(answer.body.error.message).toContain(problem);
    expect(dialled).toEqual([]);
  });

  test.each(['call_id', 'token', 'body', 'expires', 'signature'])('the name %s is reserved', (name) => {
    expect(RESERVED_PARAMETERS.has(name)).toBe(true);
  });
});

describe('Idempotency-Key', () => {
  const keyed = (key: string, body?: string, path?: string) =>
    send({ headers: { 'idempotency-key': key }, ...(path !== undefined && { path }) }, body);

  test('makes repeated requests one call, also at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => keyed('k')));
    expect(answers.map(({ body }) => body.call_id)).toEqual(Array(20).fill('out_1'));
    expect((await keyed('k')).body.call_id).toBe('out_1');
    expect((await keyed('other')).body.call_id).toBe('out_2');
    expect((await send({})).body.call_id).toBe('out_3');
    expect(dialled).toHaveLength(3);
  });

  test('belongs to number, body and parameters', async () => {
    await keyed('k');
    const others = [
      await keyed('k', '{"phone_number":"+15551234568"}'),
      await keyed('k', '{"phone_number":"+15551234567","body":{"a":1}}'),
      await keyed('k', CALL, '/start?a=1'),
    ];
    for (const answer of others) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'VB_REQUEST_CONFLICT' } } });
    }
    expect(dialled).toHaveLength(1);
  });

  test('lets a call that was not placed be tried again, and never one that may have been', async () => {
    dial = () => Promise.reject(new VoicebotError('VB_CARRIER_UNREACHABLE'));
    expect((await keyed('k')).status).toBe(503);
    dial = () => Promise.reject(new VoicebotError('VB_CALL_UNCERTAIN'));
    expect((await keyed('k')).status).toBe(503);
    dial = async () => ({ callId: 'out_3', providerCallId: undefined });
    expect(await keyed('k')).toMatchObject({ status: 503, body: { error: { code: 'VB_CALL_UNCERTAIN' } } });
    expect(dialled).toHaveLength(2);
  });

  test('may be 128 visible characters', async () => {
    expect((await keyed(`"~!${'x'.repeat(125)}`)).status).toBe(202);
  });

  test.each([
    ['Idempotency-Key: '],
    [`Idempotency-Key: ${'x'.repeat(129)}`],
    ['Idempotency-Key: a b'],
    ['Idempotency-Key: é'],
  ])('%j is refused', async (line) => {
    const answer = await raw(['POST /start HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', line]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('Idempotency-Key');
    expect(dialled).toEqual([]);
  });

  test('sent twice is refused', async () => {
    const lines = ['POST /start HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
    expect(await raw([...lines, 'Idempotency-Key: a', 'Idempotency-Key: b'])).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a call that could not be placed', () => {
  test.each([
    ['the number is refused', new VoicebotError('VB_TARGET_REFUSED', 'x'), 403],
    ['the runner stops', new VoicebotError('VB_RUNNER_STOPPING'), 503],
    [
      'the carrier refuses the call',
      new ProviderRequestError('VB_CARRIER_REQUEST_FAILED', 'barred', { status: 400 }),
      502,
    ],
    [
      'the carrier refuses the credentials',
      new ProviderRequestError('VB_CREDENTIALS_REFUSED', 'refused', { status: 401 }),
      502,
    ],
  ])('because %s', async (_why, error, status) => {
    dial = () => Promise.reject(error);
    expect(await send({})).toMatchObject({ status, body: { version: 1, error: { code: error.code } } });
  });

  test('says when to come back', async () => {
    dial = () => Promise.reject(new DialLimitError('too many', 'wait', 17));
    expect(await send({})).toMatchObject({ status: 429, headers: { 'retry-after': '17' } });
  });

  test('is logged whole and answered without details when nobody foresaw it', async () => {
    const error = new TypeError('secret of the runner');
    dial = () => Promise.reject(error);
    const answer = await send({});
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    expect(logged).toEqual([['dial-out failed', { error }]]);
  });

  test('leaves no number in the log', async () => {
    dial = () => Promise.reject(new VoicebotError('VB_TARGET_REFUSED'));
    await send({});
    await send({}, '{"phone_number":"+15551234567","x":1}');
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toContain('5551234567');
  });
});
