import { hurried } from '../../hasty-clock.js';
import { FakeApplication } from '../fake-application.js';
import { AUTH_TOKEN, startFastSandbox } from '../fake-caller.js';
import { type RestAnswer, restClient } from '../rest.js';

hurried();

async function queueing(
  check: (network: {
    application: FakeApplication;
    rest: ReturnType<typeof restClient>;
    dial: () => Promise<RestAnswer>;
    close: () => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  // A second of call time lasts half a second, so that a few requests fit into it.
  await using sandbox = await startFastSandbox({ callsPerSecond: 2, timing: { tickMs: 10 } });
  const rest = restClient(sandbox.apiUrl);
  const dial = (): Promise<RestAnswer> =>
    rest.post('Call/', {
      from: '12025550100',
      to: '12025550103',
      answer_url: application.url('/answer'),
      hangup_url: application.url('/hangup'),
      ring_url: application.url('/ring'),
    });
  await check({ application, rest, dial, close: () => sandbox.close() });
}

test('dials two calls a second, lets the others wait, and says so', () =>
  queueing(async ({ application, rest, dial }) => {
    const answers = [await dial(), await dial(), await dial(), await dial(), await dial()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const messages = answers.map(({ body }) => body.message);
    expect(messages).toEqual(['call fired', 'call fired', 'call queued', 'call queued', 'call queued']);
    const ids = answers.map(({ body }) => body.request_uuid);
    expect((await rest.get('Call/?status=queued')).body.calls).toEqual(ids.slice(2));
    expect((await rest.get('Call/?status=queued&to_number=12025550199')).body.calls).toEqual([]);
    expect((await rest.get('Call/?status=live')).body.calls).toEqual(ids.slice(0, 2));
    expect((await rest.get(`Call/${ids[2]}/?status=queued`)).body).toMatchObject({
      call_uuid: ids[2],
      call_status: 'queued',
      from: '12025550100',
      to: '12025550103',
      direction: 'outbound',
    });
    expect((await rest.get(`Call/${ids[2]}/?status=live`)).status).toBe(404);
    expect((await rest.get(`Call/${ids[0]}/?status=queued`)).status).toBe(404);
    const rung: (string | null)[] = [];
    const at: number[] = [];
    for (let ring = 0; ring < 5; ring += 1) {
      rung.push((await application.webhook('Ring')).parameters.get('CallUUID'));
      at.push(performance.now());
    }
    expect(new Set(rung.slice(0, 2))).toEqual(new Set(ids.slice(0, 2)));
    expect(new Set(rung.slice(2, 4))).toEqual(new Set(ids.slice(2, 4)));
    expect(rung[4]).toBe(ids[4]);
    expect((at[4] ?? 0) - (at[2] ?? 0)).toBeGreaterThan(300);
    expect((await rest.get('Call/?status=queued')).body.calls).toEqual([]);
    expect((await rest.get('Call/?status=live')).body.calls).toEqual(ids);
  }));

test.each(['Request', 'Call'])('a queued call that is ended under %s/ is never dialled', (path) =>
  queueing(async ({ application, rest, dial }) => {
    const [, , third, fourth] = [await dial(), await dial(), await dial(), await dial()];
    const id = third?.body.request_uuid;
    expect((await rest.delete(`${path}/${id}/`)).status).toBe(204);
    const { parameters } = await application.webhook('Hangup');
    expect(parameters.get('CallUUID')).toBe(id);
    expect(parameters.get('CallStatus')).toBe('cancel');
    const isRing = (callId: string) => () =>
      application.webhooks.all.some(
        (webhook) => webhook.path === '/ring' && webhook.parameters.get('CallUUID') === callId,
      );
    while (!isRing(fourth?.body.request_uuid)()) await application.webhook('Ring');
    expect(isRing(id)()).toBe(false);
  }),
);

test('closing ends queued calls too', () =>
  queueing(async ({ application, dial, close }) => {
    const answers = [await dial(), await dial(), await dial()];
    await close();
    const ended = application.webhooks.all
      .filter(({ path }) => path === '/hangup')
      .map(({ parameters }) => parameters.get('CallUUID'));
    expect(new Set(ended)).toEqual(new Set(answers.map(({ body }) => body.request_uuid)));
  }));
