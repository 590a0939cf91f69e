import { DialinWebhooks } from '../../../src/sandbox/rooms/dialin-webhook.js';
import { isSigned, startDialinWebhook } from './fake-dialin-webhook.js';

const SECRET = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

const configOf = (webhookUrl: string) => ({
  phoneNumber: '+12025550100',
  webhookUrl,
  hmac: SECRET,
  timeoutMessage: undefined,
  sipUri: 'static-address--0@sandbox.sip.localhost',
});

const never = new AbortController().signal;

test('posts signed JSON, stamped with the time in milliseconds', async () => {
  await using server = await startDialinWebhook();
  const webhooks = new DialinWebhooks({ timeoutMs: 2_000 });
  const body = { To: '+12025550100', From: 'Ädä', callId: 'a', callDomain: 'b' };
  const before = Date.now();
  const answer = await webhooks.send(configOf(server.url('/dialin?a=b')), body, never);
  expect(answer).toEqual({ status: 200, ms: expect.any(Number) });
  const webhook = await server.received.next();
  expect(webhook).toMatchObject({ method: 'POST', path: '/dialin?a=b', body });
  expect(webhook.headers).toMatchObject({ 'content-type': 'application/json' });
  expect(isSigned(webhook, SECRET)).toBe(true);
  const timestamp = Number(webhook.headers['x-pinless-timestamp']);
  expect(timestamp).toBeGreaterThanOrEqual(before);
  expect(timestamp).toBeLessThanOrEqual(Date.now());
  await webhooks.close();
});

test('takes any status for an answer, asks once and follows nowhere', async () => {
  await using server = await startDialinWebhook((request, response) => {
    response.writeHead(request.url === '/moved' ? 302 : 503, { location: '/dialin' }).end('x'.repeat(200_000));
  });
  const webhooks = new DialinWebhooks({ timeoutMs: 2_000 });
  expect(await webhooks.send(configOf(server.url('/moved')), {}, never)).toMatchObject({ status: 302 });
  expect(await webhooks.send(configOf(server.url('/down')), {}, never)).toMatchObject({ status: 503 });
  await webhooks.close();
  expect(server.received.all.map(({ path }) => path)).toEqual(['/moved', '/down']);
});

test.each(['http://example.com/', 'https://192.0.2.1/', 'ftp://127.0.0.1/', 'nonsense'])(
  'does not call %s',
  async (url) => {
    const webhooks = new DialinWebhooks({ timeoutMs: 2_000 });
    await expect(webhooks.send(configOf(url), {}, never)).rejects.toMatchObject({ code: 'VB_CONFIG_INVALID' });
    await webhooks.close();
  },
);

test('fails when nothing listens, nothing answers in time, or nobody waits any more', async () => {
  let gone = '';
  {
    await using server = await startDialinWebhook();
    gone = server.url();
  }
  await using silent = await startDialinWebhook(() => {});
  const failure = (message: RegExp) => ({ code: 'VB_ANSWER_URL_FAILED', message: expect.stringMatching(message) });
  const patient = new DialinWebhooks({ timeoutMs: 60_000 });
  await expect(patient.send(configOf(gone), {}, never)).rejects.toMatchObject(failure(/ECONNREFUSED/));

  const hasty = new DialinWebhooks({ timeoutMs: 20 });
  await expect(hasty.send(configOf(silent.url('/late')), {}, never)).rejects.toMatchObject(
    failure(/no answer within 20 ms/),
  );

  const abort = new AbortController();
  const aborted = patient.send(configOf(silent.url('/aborted')), {}, abort.signal);
  await silent.received.next(({ path }) => path === '/aborted');
  abort.abort();
  await expect(aborted).rejects.toMatchObject({ code: 'VB_ANSWER_URL_FAILED' });

  const closed = patient.send(configOf(silent.url('/closed')), {});
  await silent.received.next(({ path }) => path === '/closed');
  await Promise.all([expect(closed).rejects.toMatchObject({ code: 'VB_ANSWER_URL_FAILED' }), patient.close()]);
  await hasty.close();
});
