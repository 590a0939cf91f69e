import { FakeApplication } from './fake-application.js';
import { AUTH_ID, AUTH_TOKEN, FakeCaller, startFastSandbox } from './fake-caller.js';
import { restClient } from './rest.js';

const ANSWER_URL = 'http://127.0.0.1:1/answer';
const CALL = { from: '12025550100', to: '12025550103', answer_url: ANSWER_URL };

test.each([`${AUTH_ID}:wrong`, `wrong:${AUTH_TOKEN}`, ''])('refuses the credentials "%s"', async (credentials) => {
  await using sandbox = await startFastSandbox();
  const { status, body } = await restClient(sandbox.apiUrl, credentials).get('Number/');
  expect(status).toBe(401);
  expect(body).toEqual({ api_id: expect.any(String), error: expect.any(String) });
});

test.each(['Number', 'number/', 'Call/x/Record/', 'Nothing/'])('knows no path "%s"', async (path) => {
  await using sandbox = await startFastSandbox();
  expect((await restClient(sandbox.apiUrl).get(path)).status).toBe(404);
});

test('will not end all calls at once', async () => {
  await using sandbox = await startFastSandbox();
  expect((await restClient(sandbox.apiUrl).delete('Call/')).status).toBe(404);
});

test('fires a call, lists it while it lives, and ends it', async () => {
  await using sandbox = await startFastSandbox();
  const rest = restClient(sandbox.apiUrl);
  const fired = await rest.post('Call/', CALL);
  expect(fired).toMatchObject({ status: 201, body: { api_id: expect.any(String), message: 'call fired' } });
  const id = fired.body.request_uuid;
  expect((await rest.get('Call/?status=live')).body.calls).toEqual([id]);
  expect(await rest.get(`Call/${id}/?status=live`)).toMatchObject({
    status: 200,
    body: { call_uuid: id, call_status: 'ringing', direction: 'outbound', from: '12025550100', to: '12025550103' },
  });
  expect((await rest.get(`Call/${id}/`)).status).toBe(404);
  expect((await rest.delete(`Call/${id}/`)).status).toBe(204);
  expect((await rest.delete(`Call/${id}/`)).status).toBe(404);
  expect((await rest.get(`Call/${id}/?status=live`)).status).toBe(404);
  expect((await rest.get('Call/?status=live')).body.calls).toEqual([]);
  expect((await rest.get('Call/')).status).toBe(400);
});

test.each([
  [{ ...CALL, from: undefined }, 'from parameter not present'],
  [{ ...CALL, to: undefined }, 'to parameter not present'],
  [{ ...CALL, answer_url: undefined }, 'answer_url parameter not present'],
  [{ ...CALL, from: '14155550100' }, 'not associated with your account'],
  [{ ...CALL, to: 'sip:a@example.com' }, 'to parameter is invalid'],
  [{ ...CALL, to: '12025550101<12025550102' }, 'to parameter is invalid'],
  [{ ...CALL, answer_url: 'https://example.com/answer' }, 'only this machine'],
  [{ ...CALL, hangup_url: 'nonsense' }, 'hangup_url parameter is invalid'],
  [{ ...CALL, answer_method: 'PUT' }, 'answer_method parameter is invalid'],
  [{ ...CALL, time_limit: 0 }, 'time_limit parameter is invalid'],
])('refuses %j', async (fields, error) => {
  await using sandbox = await startFastSandbox();
  const { status, body } = await restClient(sandbox.apiUrl).post('Call/', fields);
  expect(status).toBe(400);
  expect(body.error).toContain(error);
  expect(sandbox.liveCalls).toBe(0);
});

test('refuses a body that is not JSON or too large', async () => {
  await using sandbox = await startFastSandbox();
  const rest = restClient(sandbox.apiUrl);
  expect((await rest.post('Call/', '{')).status).toBe(400);
  expect((await rest.post('Call/', { ...CALL, padding: 'x'.repeat(70_000) })).status).toBe(413);
});

test('shows the number and the application behind it', async () => {
  await using sandbox = await startFastSandbox({ answerUrl: ANSWER_URL });
  const rest = restClient(sandbox.apiUrl);
  const uri = `/v1/Account/${AUTH_ID}/Application/${sandbox.applicationId}/`;
  const number = { number: '12025550100', application: uri, voice_enabled: true };
  expect(await rest.get('Number/12025550100/')).toMatchObject({ status: 200, body: number });
  expect((await rest.get('Number/')).body).toMatchObject({ meta: { total_count: 1 }, objects: [number] });
  expect((await rest.get('Number/12025550199/')).status).toBe(404);
  const application = { app_id: sandbox.applicationId, answer_url: ANSWER_URL, answer_method: 'POST', hangup_url: '' };
  expect(await rest.get(`Application/${sandbox.applicationId}/`)).toMatchObject({ status: 200, body: application });
  expect((await rest.get('Application/?app_name=sand')).body.objects).toHaveLength(1);
  expect((await rest.get('Application/?app_name=other')).body.objects).toHaveLength(0);
  expect((await rest.get('Application/1/')).status).toBe(404);
});

test('changes the fields that are given and keeps the others', async () => {
  await using sandbox = await startFastSandbox({ answerUrl: ANSWER_URL });
  const rest = restClient(sandbox.apiUrl);
  const path = `Application/${sandbox.applicationId}/`;
  const change = { hangup_url: 'http://localhost:1/hangup', answer_method: 'GET' };
  expect(await rest.post(path, change)).toMatchObject({ status: 202, body: { message: 'changed' } });
  expect((await rest.get(path)).body).toMatchObject({ answer_url: ANSWER_URL, ...change });
  expect((await rest.post(path, { answer_url: 'http://example.com/' })).status).toBe(400);
  expect((await rest.post(path, { answer_url: '' })).status).toBe(202);
  expect((await rest.post('Application/1/', change)).status).toBe(404);
  expect((await rest.post('Number/12025550100/', { app_id: sandbox.applicationId })).status).toBe(202);
  expect((await rest.post('Number/12025550100/', { app_id: '1' })).status).toBe(400);
  expect((await rest.post('Number/1/', {})).status).toBe(404);
});

test('sends the next call where the application was pointed to, with the method asked for', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/new-answer', application.streamVerb());
  await using sandbox = await startFastSandbox({ answerUrl: ANSWER_URL });
  const rest = restClient(sandbox.apiUrl);
  await rest.post(`Application/${sandbox.applicationId}/`, {
    answer_url: application.url('/new-answer'),
    answer_method: 'GET',
  });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const answer = await application.webhook('StartApp');
  expect(answer).toMatchObject({ path: '/new-answer', method: 'GET', isSigned: true });
  const callId = answer.parameters.get('CallUUID');
  await application.streams.next();
  expect((await rest.get(`Call/${callId}/?status=live`)).body).toMatchObject({
    call_status: 'in-progress',
    direction: 'inbound',
  });
  await rest.delete(`Call/${callId}/`);
  expect(await caller.ended()).toMatchObject({ callId, code: 1000, source: 'API Request' });
});
