import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { FakeApplication } from './fake-application.js';
import { AUTH_ID, AUTH_TOKEN, FakeCaller, startFastSandbox } from './fake-caller.js';
import { type RestAnswer, restClient } from './rest.js';

/** The requests that the carrier's own client library makes, in its way, and what other clients of the real API rely on. */

const CALL = { from: '12025550100', to: '12025550103', answer_url: 'http://127.0.0.1:1/answer' };

test.each(['live', 'queued'])('finds a %s call whose path has no slash before the query', async (status) => {
  await using sandbox = await startFastSandbox({ callsPerSecond: 1 });
  const rest = restClient(sandbox.apiUrl);
  const live = (await rest.post('Call/', CALL)).body.request_uuid;
  const queued = (await rest.post('Call/', CALL)).body.request_uuid;
  const wanted = status === 'live' ? live : queued;
  const other = status === 'live' ? queued : live;
  expect(await rest.get(`Call/${wanted}?status=${status}`)).toMatchObject({ status: 200, body: { call_uuid: wanted } });
  expect((await rest.get(`Call/${other}?status=${status}`)).status).toBe(404);
  expect((await rest.get(`Call/${wanted}`)).status).toBe(404);
});

test('takes a form as well as JSON', async () => {
  await using sandbox = await startFastSandbox();
  const form = async (path: string, fields: Record<string, string>): Promise<RestAnswer> => {
    const response = await fetch(`${sandbox.apiUrl}/Account/${AUTH_ID}/${path}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${AUTH_ID}:${AUTH_TOKEN}`).toString('base64')}` },
      body: new URLSearchParams(fields),
    });
    return { status: response.status, body: await response.json() };
  };
  const fired = await form('Call/', { ...CALL, ring_timeout: '30', machine_detection: 'true' });
  expect(fired).toMatchObject({ status: 201, body: { message: 'call fired' } });
  expect((await restClient(sandbox.apiUrl).get('Call/?status=live')).body.calls).toEqual([fired.body.request_uuid]);
  expect(await form('Call/', { ...CALL, ring_timeout: 'soon' })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('ring_timeout') },
  });
  const application = await form('Application/', { app_name: 'form', answer_url: CALL.answer_url, public_uri: 'true' });
  expect(application.status).toBe(201);
});

test('ends every call of the account when no call is named', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '<Wait length="3600"/>');
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer'), callsPerSecond: 1 });
  const rest = restClient(sandbox.apiUrl);
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  await application.webhook('StartApp');
  await rest.post('Call/', CALL);
  await rest.post('Call/', CALL); // this one is queued
  expect(sandbox.liveCalls).toBe(3);
  expect((await rest.delete('Call/')).status).toBe(204);
  expect(sandbox.liveCalls).toBe(0);
  expect(await caller.ended()).toMatchObject({ code: 1000, source: 'API Request' });
});

test('ignores the body that the library sends where there is none to send', async () => {
  await using sandbox = await startFastSandbox();
  const request = httpRequest(`${sandbox.apiUrl}/Account/${AUTH_ID}/Number/`, {
    auth: `${AUTH_ID}:${AUTH_TOKEN}`,
    headers: { 'content-type': 'application/json', 'content-length': 2 },
  });
  request.end('""');
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(200);
  expect(JSON.parse(String(await response.toArray())).meta.total_count).toBe(10);
});

test.each(['', '/'])('shows the account at "Account/<auth id>/%s"', async (path) => {
  await using sandbox = await startFastSandbox();
  const { status, body } = await restClient(sandbox.apiUrl).get(path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    auth_id: AUTH_ID,
    account_type: 'standard',
    billing_mode: 'prepaid',
    resource_uri: `/v1/Account/${AUTH_ID}/`,
  });
});

test.each([
  ['DELETE', 'Number/12025550100/', 'GET, POST'],
  ['PUT', 'Call/', 'DELETE, GET, POST'],
  ['PATCH', 'Call/some-call/', 'DELETE, GET, POST'],
  ['GET', 'Call/some-call/DTMF/', 'POST'],
  ['GET', 'Request/some-call/', 'DELETE'],
  ['DELETE', 'Application/', 'GET, POST'],
  ['DELETE', '', 'GET'],
])('refuses %s %s with 405, and says what is allowed', async (method, path, allowed) => {
  await using sandbox = await startFastSandbox();
  const response = await fetch(`${sandbox.apiUrl}/Account/${AUTH_ID}/${path}`, {
    method,
    headers: { authorization: `Basic ${Buffer.from(`${AUTH_ID}:${AUTH_TOKEN}`).toString('base64')}` },
  });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allowed);
  expect(await response.json()).toEqual({ api_id: expect.any(String), error: expect.stringContaining(method) });
});
