import { FakeApplication } from '../fake-application.js';
import { AUTH_ID, AUTH_TOKEN, CALLER, FakeCaller, startFastSandbox } from '../fake-caller.js';
import { restClient } from '../rest.js';

const ANSWER_URL = 'http://127.0.0.1:1/answer';
const NUMBERS = ['12025550100', ...Array.from({ length: 9 }, (_, n) => `1202555011${n + 1}`)];
const uriOf = (id: string) => `/v1/Account/${AUTH_ID}/Application/${id}/`;

/** Everything of the account that can be read, as it comes. */
async function dump(rest: ReturnType<typeof restClient>): Promise<unknown> {
  const [numbers, applications] = await Promise.all(['Number/', 'Application/'].map((path) => rest.get(path)));
  return [numbers?.body.objects, applications?.body.objects];
}

describe('numbers', () => {
  test('are ten, of which the first has the first application', async () => {
    await using sandbox = await startFastSandbox();
    const rest = restClient(sandbox.apiUrl);
    const { body } = await rest.get('Number/');
    expect(body.meta.total_count).toBe(10);
    expect(body.objects.map(({ number }: { number: string }) => number)).toEqual(NUMBERS);
    const links = body.objects.map(({ application }: { application: string }) => application);
    expect(links).toEqual([uriOf(sandbox.applicationId), ...Array(9).fill('')]);
    expect((await rest.get('Number/?number_startswith=1202555011&limit=5&offset=5')).body).toMatchObject({
      meta: { total_count: 9, next: null },
      objects: NUMBERS.slice(6).map((number) => ({ number })),
    });
  });

  test('are not listed by their application', async () => {
    await using sandbox = await startFastSandbox();
    const { status, body } = await restClient(sandbox.apiUrl).get('Number/?application=1');
    expect(status).toBe(400);
    expect(body.error).toContain('application');
  });

  test('are attached to applications and trunks that exist', async () => {
    await using sandbox = await startFastSandbox();
    const rest = restClient(sandbox.apiUrl);
    const linkOf = async () => (await rest.get('Number/12025550115/')).body.application;
    expect((await rest.post('Number/12025550115/', { app_id: sandbox.applicationId })).status).toBe(202);
    expect(await linkOf()).toBe(uriOf(sandbox.applicationId));
    expect((await rest.post('Number/12025550115/', { app_id: '1' })).status).toBe(400);
    expect(await linkOf()).toBe(uriOf(sandbox.applicationId));
    expect((await rest.post('Number/12025550115/', { app_id: '20255502000000001' })).status).toBe(202);
    expect(await linkOf()).toBe(`/v1/Account/${AUTH_ID}/Zentrunk/Trunk/20255502000000001/`);
    expect((await rest.post('Number/12025550115/', { alias: 'spare' })).status).toBe(202);
    expect((await rest.get('Number/12025550115/')).body).toMatchObject({ alias: 'spare' });
    expect((await rest.post('Number/12025550199/', { app_id: sandbox.applicationId })).status).toBe(404);
  });

  test('may all be the caller id of a dialled call', async () => {
    await using sandbox = await startFastSandbox();
    const fields = { from: '+12025550119', to: '12025550103', answer_url: ANSWER_URL };
    expect((await restClient(sandbox.apiUrl).post('Call/', fields)).status).toBe(201);
  });
});

describe('applications', () => {
  test('are created, found by the beginning of their name, changed and deleted', async () => {
    await using sandbox = await startFastSandbox();
    const rest = restClient(sandbox.apiUrl);
    const before = await dump(rest);
    const settings = {
      app_name: 'front-desk',
      answer_url: ANSWER_URL,
      answer_method: 'GET',
      hangup_url: 'http://127.0.0.1:1/hangup',
      fallback_answer_url: 'http://127.0.0.1:1/fallback',
      fallback_method: 'GET',
      message_url: 'http://127.0.0.1:1/message',
      default_number_app: true,
      log_incoming_messages: false,
      public_uri: 'True',
    };
    const created = await rest.post('Application/', settings);
    expect(created).toMatchObject({
      status: 201,
      body: { message: 'created', app_id: expect.stringMatching(/^\d+$/) },
    });
    const path = `Application/${created.body.app_id}/`;
    const shown = { ...settings, public_uri: true, hangup_method: 'POST', default_endpoint_app: false };
    expect((await rest.get(path)).body).toMatchObject(shown);
    await rest.post('Application/', { app_name: 'front-door', answer_url: ANSWER_URL });
    const namesOf = async (prefix: string) =>
      (await rest.get(`Application/?app_name=${prefix}`)).body.objects.map((one: { app_name: string }) => one.app_name);
    expect(await namesOf('front-d')).toEqual(['front-desk', 'front-door']);
    expect(await namesOf('desk')).toEqual([]);
    expect((await rest.get('Application/?app_name=front&limit=1')).body.meta.next).toContain('offset=1');
    expect((await rest.post(path, { fallback_answer_url: '', public_uri: false })).status).toBe(202);
    expect((await rest.get(path)).body).toMatchObject({ ...shown, fallback_answer_url: '', public_uri: false });
    for (const { app_id } of (await rest.get('Application/?app_name=front')).body.objects) {
      expect((await rest.delete(`Application/${app_id}/`)).status).toBe(204);
    }
    expect((await rest.delete(path)).status).toBe(404);
    expect((await rest.get(path)).status).toBe(404);
    expect(JSON.stringify(await dump(rest))).toBe(JSON.stringify(before));
  });

  test('leave their numbers without one when they are deleted', async () => {
    await using sandbox = await startFastSandbox();
    const rest = restClient(sandbox.apiUrl);
    const { app_id: id } = (await rest.post('Application/', { app_name: 'one', answer_url: ANSWER_URL })).body;
    for (const number of ['12025550111', '12025550112']) await rest.post(`Number/${number}/`, { app_id: id });
    await rest.delete(`Application/${id}/`);
    const links = (await rest.get('Number/')).body.objects.map((one: { application: string }) => one.application);
    expect(links).toEqual([uriOf(sandbox.applicationId), ...Array(9).fill('')]);
  });

  test.each([
    [{ answer_url: ANSWER_URL }, 'app_name parameter not present'],
    [{ app_name: 'a b', answer_url: ANSWER_URL }, 'app_name parameter is invalid'],
    [{ app_name: 'a' }, 'answer_url parameter not present'],
    [{ app_name: 'a', answer_url: '' }, 'answer_url parameter is invalid'],
    [{ app_name: 'a', answer_url: 'https://example.com/' }, 'only this machine'],
    [{ app_name: 'a', answer_url: ANSWER_URL, fallback_method: 'PUT' }, 'fallback_method parameter is invalid'],
    [{ app_name: 'a', answer_url: ANSWER_URL, public_uri: 'perhaps' }, 'public_uri parameter is invalid'],
  ])('are refused as %j', async (fields, error) => {
    await using sandbox = await startFastSandbox();
    const rest = restClient(sandbox.apiUrl);
    const refused = await rest.post('Application/', fields);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain(error);
    expect((await rest.get('Application/')).body.meta.total_count).toBe(1);
  });

  test('are at most a hundred', async () => {
    await using sandbox = await startFastSandbox();
    const rest = restClient(sandbox.apiUrl);
    const create = (n: number) => rest.post('Application/', { app_name: `app-${n}`, answer_url: ANSWER_URL });
    const created = await Promise.all(Array.from({ length: 99 }, (_, n) => create(n)));
    expect(created.every(({ status }) => status === 201)).toBe(true);
    expect((await create(99)).status).toBe(400);
  });
});

describe('a call', () => {
  test('goes to the application of the number that was dialled', async () => {
    await using application = await FakeApplication.start(AUTH_TOKEN);
    application.document('/second', '<Hangup/>');
    await using sandbox = await startFastSandbox({ answerUrl: application.url('/first') });
    const rest = restClient(sandbox.apiUrl);
    const settings = { app_name: 'second', answer_url: application.url('/second') };
    const { app_id: id } = (await rest.post('Application/', settings)).body;
    await rest.post('Number/12025550113/', { app_id: id });
    await using caller = await FakeCaller.attach(sandbox);
    caller.client.dial({ from: CALLER, to: '+12025550113' });
    const answer = await application.webhook('StartApp');
    expect(answer).toMatchObject({ path: '/second', isSigned: true });
    expect(answer.parameters.get('To')).toBe('12025550113');
    expect((await caller.ended()).code).toBe(4000);
    expect(await application.webhook('Hangup')).toMatchObject({ path: '/second' });
  });

  test.each([
    ['that has no application', '+12025550111', undefined],
    ['that is on a trunk', '+12025550112', '20255502000000001'],
  ])('to a number %s reaches nobody', async (_title, to, link) => {
    await using application = await FakeApplication.start(AUTH_TOKEN);
    await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
    if (link) await restClient(sandbox.apiUrl).post(`Number/${to.slice(1)}/`, { app_id: link });
    await using caller = await FakeCaller.attach(sandbox);
    caller.client.dial({ from: CALLER, to });
    expect((await caller.ended()).code).toBe(3050);
    expect(application.webhooks.all).toEqual([]);
  });
});

describe('the fallback address', () => {
  /** Calls an application whose answer URL replies so, and whose fallback address is `/fallback` by GET. */
  async function call(reply: { status?: number; body: string } | 'nobody', fallback: string) {
    const application = await FakeApplication.start(AUTH_TOKEN);
    const sandbox = await startFastSandbox();
    const caller = await FakeCaller.attach(sandbox);
    if (reply !== 'nobody') application.routes.set('/answer', reply);
    application.routes.set('/fallback', { status: fallback ? 200 : 500, body: fallback });
    await restClient(sandbox.apiUrl).post(`Application/${sandbox.applicationId}/`, {
      answer_url: reply === 'nobody' ? ANSWER_URL : application.url('/answer'),
      fallback_answer_url: application.url('/fallback'),
      fallback_method: 'GET',
    });
    caller.dial(sandbox);
    const { code } = await caller.ended();
    for (const part of [caller, sandbox, application]) await part[Symbol.asyncDispose]();
    const asked = application.webhooks.all.filter(({ parameters }) => parameters.get('Event') === 'StartApp');
    return { code, asked: asked.map(({ path, method, isSigned }) => ({ path, method, isSigned })) };
  }
  const BY_FALLBACK = { path: '/fallback', method: 'GET', isSigned: true };

  test.each([['nobody' as const], [{ status: 503, body: '' }]])(
    'is asked when the answer URL gives %j',
    async (reply) => {
      const { code, asked } = await call(reply, '<Response><Hangup/></Response>');
      expect(code).toBe(4000);
      expect(asked.at(-1)).toEqual(BY_FALLBACK);
    },
  );

  test('is not asked for what is an answer, good or not', async () => {
    expect(await call({ body: '<Response><Hangup/></Response>' }, '<Response/>')).toMatchObject({
      code: 4000,
      asked: [{ path: '/answer' }],
    });
    expect(await call({ body: '{}' }, '<Response/>')).toMatchObject({ code: 8011, asked: [{ path: '/answer' }] });
  });

  test('that fails too ends the call as the answer URL would', async () => {
    const { code, asked } = await call({ status: 500, body: '' }, '');
    expect(code).toBe(7011);
    expect(asked).toHaveLength(2);
  });

  test('of a dialled call is asked in the same way', async () => {
    await using application = await FakeApplication.start(AUTH_TOKEN);
    application.document('/fallback', '<Hangup/>');
    await using sandbox = await startFastSandbox();
    await restClient(sandbox.apiUrl).post('Call/', {
      from: '12025550100',
      to: '12025550101',
      answer_url: ANSWER_URL,
      fallback_url: application.url('/fallback'),
      hangup_url: application.url('/hangup'),
    });
    expect(await application.webhook('StartApp')).toMatchObject({ path: '/fallback', method: 'POST' });
    expect((await application.requested('/hangup')).parameters.get('HangupCauseCode')).toBe('4000');
  });
});
