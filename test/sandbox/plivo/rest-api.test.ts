import { DtmfDetector } from '../../../src/base/audio/dtmf.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { FakeApplication } from '../fake-application.js';
import { AUTH_ID, AUTH_TOKEN, FakeCaller, startFastSandbox } from '../fake-caller.js';
import { restClient } from '../rest.js';

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
});

test('finds live calls by direction and numbers, written with + or without', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '<Wait length="3600"/>');
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  const rest = restClient(sandbox.apiUrl);
  const first = (await rest.post('Call/', CALL)).body.request_uuid;
  const second = (await rest.post('Call/', { ...CALL, to: '+15551234103' })).body.request_uuid;
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const inbound = (await application.webhook('StartApp')).parameters.get('CallUUID');
  const live = async (filter: string) => new Set((await rest.get(`Call/?status=live${filter}`)).body.calls);
  expect(await live('')).toEqual(new Set([first, second, inbound]));
  expect(await live('&call_direction=inbound')).toEqual(new Set([inbound]));
  expect(await live('&call_direction=outbound')).toEqual(new Set([first, second]));
  expect(await live('&to_number=15551234103')).toEqual(new Set([second]));
  expect(await live('&from_number=%2B12025550100&to_number=%2B12025550103')).toEqual(new Set([first]));
  expect(await live('&from_number=12025550142')).toEqual(new Set([inbound]));
  expect(await live('&to_number=12025550199')).toEqual(new Set());
  expect((await rest.get('Call/?status=live&call_direction=up')).status).toBe(400);
  expect((await rest.get('Call/?status=over')).status).toBe(400);
});

test('keeps records of the calls that are over, newest first, in pages', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '');
  await using sandbox = await startFastSandbox();
  const rest = restClient(sandbox.apiUrl);
  const dial = async (to: string): Promise<string> => {
    const fields = { ...CALL, to, answer_url: application.url('/answer'), hangup_url: application.url('/hangup') };
    const { body } = await rest.post('Call/', fields);
    // Some calls tell twice, so it must be this one's.
    await application.webhooks.next(
      ({ path, parameters }) => path === '/hangup' && parameters.get('CallUUID') === body.request_uuid,
    );
    return body.request_uuid;
  };
  const busy = await dial('12025550102');
  const answered = await dial('12025550101');
  for (let call = 0; call < 20; call += 1) await dial('12025550102');
  const page = await rest.get('Call/');
  expect(page.body.meta).toEqual({
    limit: 20,
    offset: 0,
    next: expect.stringContaining('/Call/?limit=20&offset=20'),
    previous: null,
    total_count: 22,
  });
  expect(page.body.objects).toHaveLength(20);
  const { body } = await rest.get('Call/?limit=2&offset=20');
  expect(body.meta).toMatchObject({ next: null, previous: expect.stringContaining('/Call/?limit=2&offset=18') });
  const record = {
    call_uuid: answered,
    parent_call_uuid: null,
    call_direction: 'outbound',
    call_state: 'ANSWER',
    from_number: '12025550100',
    to_number: '12025550101',
    answer_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00$/),
    hangup_cause_code: 4010,
    hangup_source: 'Plivo',
  };
  expect(body.objects).toMatchObject([record, { call_uuid: busy, call_state: 'BUSY', answer_time: null }]);
  expect((await rest.get(`Call/${answered}/`)).body).toMatchObject(record);
  expect((await rest.get('Call/?to_number=12025550101')).body.objects).toMatchObject([record]);
  const filtered = await rest.get('Call/?to_number=%2B12025550102&limit=10&offset=10');
  const pageAt = (offset: number) =>
    expect.stringMatching(new RegExp(`/Call/\\?to_number=%2B12025550102&limit=10&offset=${offset}$`));
  expect(filtered.body.meta).toMatchObject({ next: pageAt(20), previous: pageAt(0), total_count: 21 });
  for (const query of ['limit=21', 'limit=0', 'offset=-1']) expect((await rest.get(`Call/?${query}`)).status).toBe(400);
});

test('cancels a dialled call that is not answered yet, and no other', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '<Wait length="3600"/>');
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  const rest = restClient(sandbox.apiUrl);
  const fields = { ...CALL, hangup_url: application.url('/hangup'), answer_url: application.url('/answer') };
  const ringing = (await rest.post('Call/', fields)).body.request_uuid;
  expect((await rest.delete(`Request/${ringing}/`)).status).toBe(204);
  const { parameters } = await application.webhook('Hangup');
  expect(parameters.get('CallStatus')).toBe('cancel');
  expect(parameters.get('HangupSource')).toBe('API Request');
  expect((await rest.delete(`Request/${ringing}/`)).status).toBe(404);
  const answered = (await rest.post('Call/', { ...fields, to: '12025550101' })).body.request_uuid;
  await application.webhook('StartApp');
  expect((await rest.delete(`Request/${answered}/`)).status).toBe(404);
  expect(sandbox.liveCalls).toBe(1);
});

test('plays digits to the phone', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '<Wait length="3600"/>');
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  const rest = restClient(sandbox.apiUrl);
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const callId = (await application.webhook('StartApp')).parameters.get('CallUUID');
  await caller.progress('wait', true);
  expect((await rest.post(`Call/${callId}/DTMF/`, { digits: '1Ww#' })).status).toBe(202);
  const detector = new DtmfDetector(8_000);
  const digits: string[] = [];
  while (digits.length < 2) digits.push(...detector.process(decodeMulaw(await caller.heard.next())));
  expect(digits).toEqual(['1', '#']);
  expect((await rest.post(`Call/${callId}/DTMF/`, { digits: '1', leg: 'bleg' })).status).toBe(400);
  expect((await rest.post(`Call/${callId}/DTMF/`, { digits: 'x' })).status).toBe(400);
  expect((await rest.post(`Call/${callId}/DTMF/`, {})).body.error).toBe('digits parameter not present');
  caller.client.hangUp();
  await caller.ended();
  expect((await rest.post(`Call/${callId}/DTMF/`, { digits: '1' })).status).toBe(404);
});

test('calls addresses of 16 KiB, which carry the custom data of a call', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '');
  await using sandbox = await startFastSandbox();
  const address = (path: string): string => `${application.url(path)}?body=${'x'.repeat(16 * 1024)}`;
  const { status } = await restClient(sandbox.apiUrl).post('Call/', {
    ...CALL,
    to: '12025550101',
    answer_url: address('/answer'),
    answer_method: 'GET',
    ring_url: address('/ring'),
    hangup_url: address('/hangup'),
  });
  expect(status).toBe(201);
  await application.requested('/ring');
  const answer = await application.requested('/answer');
  expect(answer.isSigned).toBe(true);
  expect(answer.parameters.get('body')).toHaveLength(16 * 1024);
  expect((await application.requested('/hangup')).parameters.get('HangupCauseCode')).toBe('4010');
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
  [{ ...CALL, machine_detection: 'maybe' }, 'machine_detection parameter is invalid'],
  [{ ...CALL, machine_detection_url: 'http://example.com/' }, 'machine_detection_url parameter is invalid'],
  [{ ...CALL, machine_detection_time: 1_000 }, 'machine_detection_time parameter is invalid'],
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
  expect((await rest.post('Call/', { ...CALL, padding: 'x'.repeat(140_000) })).status).toBe(413);
});

test('shows the number and the application behind it', async () => {
  await using sandbox = await startFastSandbox({ answerUrl: ANSWER_URL });
  const rest = restClient(sandbox.apiUrl);
  const uri = `/v1/Account/${AUTH_ID}/Application/${sandbox.applicationId}/`;
  const number = { number: '12025550100', application: uri, voice_enabled: true };
  expect(await rest.get('Number/12025550100/')).toMatchObject({ status: 200, body: number });
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
