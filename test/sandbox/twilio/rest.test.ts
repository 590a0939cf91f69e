import type { CarrierRestClient } from '../../../src/providers/carrier.js';
import { createTwilioRestClient } from '../../../src/providers/twilio/rest.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { SIP_TRUNK_SID } from '../../../src/sandbox/twilio/account.js';
import { credentialsAt } from '../../providers/twilio/api-account.js';
import { vendorAt } from '../../providers/twilio/vendor-client.js';
import { FakeApplication } from '../fake-application.js';
import { FakeCaller } from '../fake-caller.js';
import { ACCOUNT_SID, AUTH_TOKEN, connectTo, inTwilioCall, PAUSE, startTwilio, streamOf } from './twilio-sandbox.js';

const FROM = '+12025550100';
const TO = '+12025550101';
const URL = 'http://127.0.0.1:1/answer';
/** The product's own client of the sandbox. */
async function withProduct(sandbox: Sandbox, use: (client: CarrierRestClient) => Promise<void>): Promise<void> {
  const client = await createTwilioRestClient(credentialsAt(sandbox), { repeats: { firstWaitMs: 1 } });
  await use(client).finally(() => client.close());
}

const NO_CALL = `CA${'0'.repeat(32)}`;

describe("the vendor's client", () => {
  let application: FakeApplication;
  let sandbox: Sandbox;
  let vendor: ReturnType<typeof vendorAt>;

  beforeEach(async () => {
    application = await FakeApplication.start(AUTH_TOKEN);
    application.document('/answer', PAUSE);
    application.document('/next', PAUSE);
    sandbox = await startTwilio();
    vendor = vendorAt(sandbox.url);
  });
  afterEach(async () => {
    await sandbox.close();
    await application[Symbol.asyncDispose]();
  });

  const setNumber = async (change: Parameters<ReturnType<typeof vendor.incomingPhoneNumbers>['update']>[0]) => {
    const [number] = await vendor.incomingPhoneNumbers.list({ phoneNumber: sandbox.number });
    return vendor.incomingPhoneNumbers(number?.sid ?? '').update(change as object);
  };

  const dial = (to = TO) =>
    vendor.calls.create({
      from: FROM,
      to,
      url: application.url('/answer?x=1'),
      timeout: 5,
      statusCallback: application.url('/status'),
      statusCallbackEvent: ['ringing', 'answered', 'completed'],
    });

  test('dials, looks up, transfers and ends a call, and is told how it goes', async () => {
    const call = await dial();
    expect(call).toMatchObject({ from: FROM, to: TO, status: 'queued', direction: 'outbound-api', duration: null });
    const { sid } = call;
    expect(sid).toMatch(/^CA[0-9a-f]{32}$/);
    expect((await application.requested('/answer')).parameters.get('CallStatus')).toBe('in-progress');
    expect(await vendor.calls(sid).fetch()).toMatchObject({ sid, status: 'in-progress', endTime: null });
    const found = await vendor.calls.list({ from: FROM, to: TO, status: 'in-progress' });
    expect(found.map((one) => one.sid)).toEqual([sid]);
    expect(await vendor.calls.list({ status: 'queued' })).toEqual([]);

    await vendor.calls(sid).update({ url: application.url('/next'), method: 'POST' });
    expect((await application.requested('/next')).parameters.get('CallSid')).toBe(sid);
    expect(await vendor.calls(sid).update({ status: 'canceled' })).toMatchObject({ status: 'in-progress' });
    expect(await vendor.calls(sid).update({ status: 'completed' })).toMatchObject({ status: 'completed' });
    expect(await vendor.calls(sid).fetch()).toMatchObject({ status: 'completed', endTime: expect.any(Date) });

    await application.webhooks.next(({ parameters }) => parameters.get('CallStatus') === 'completed');
    const told = application.webhooks.all.filter(({ path }) => path === '/status');
    expect(told.map(({ parameters }) => parameters.get('CallStatus'))).toEqual(['ringing', 'in-progress', 'completed']);
    expect(Object.fromEntries(told.at(-1)?.parameters ?? [])).toMatchObject({
      AccountSid: ACCOUNT_SID,
      ApiVersion: '2010-04-01',
      CallSid: sid,
      From: FROM,
      To: TO,
      Direction: 'outbound-api',
      CallbackSource: 'call-progress-events',
      SequenceNumber: '3',
      CallDuration: expect.stringMatching(/^\d+$/),
      SipResponseCode: '200',
    });
  });

  test.each([
    ['busy', '+12025550102', 'busy', '486'],
    ['declined', '+12025550104', 'busy', '603'],
    ['without an answer', '+12025550103', 'no-answer', '487'],
  ])('is told of a call that is %s', async (_title, to, status, sipCode) => {
    const { sid } = await dial(to);
    const { parameters } = await application.webhooks.next((told) => told.parameters.has('CallDuration'), 10_000);
    expect(Object.fromEntries(parameters)).toMatchObject({ CallStatus: status, SipResponseCode: sipCode });
    expect(await vendor.calls(sid).fetch()).toMatchObject({ status, startTime: null, duration: '0' });
  });

  test('is told what has answered', async () => {
    await vendor.calls.create({
      from: FROM,
      to: '+12025550105',
      url: application.url('/answer'),
      machineDetection: 'Enable',
      asyncAmd: 'true',
      asyncAmdStatusCallback: application.url('/machine'),
    });
    const { parameters } = await application.requested('/machine');
    expect([...parameters.keys()]).toEqual(['AccountSid', 'CallSid', 'AnsweredBy', 'MachineDetectionDuration']);
    expect(parameters.get('AnsweredBy')).toBe('machine_start');
  });

  test('cancels a call that rings', async () => {
    const { sid } = await dial('+12025550103');
    expect(await vendor.calls(sid).update({ status: 'canceled' })).toMatchObject({ status: 'canceled' });
  });

  test('pages through the calls that are over, newest first', async () => {
    const sids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      sids.unshift((await dial('+12025550102')).sid);
      await application.webhooks.next(({ parameters }) => parameters.get('CallSid') === sids[0]);
    }
    const all = await vendor.calls.list({ pageSize: 2 });
    expect(all.map(({ sid }) => sid)).toEqual(sids);
    const page = await vendor.calls.page({ pageSize: 2 });
    expect(page.instances).toHaveLength(2);
    expect(page.previousPageUrl).toBeUndefined();
  });

  type Refused = (client: typeof vendor) => Promise<unknown>;
  test.each<[title: string, status: number, code: number, refused: Refused]>([
    ['no number to call', 400, 21201, ({ calls }) => calls.create({ from: FROM, to: '', url: URL })],
    ['what is no number to call', 400, 21211, ({ calls }) => calls.create({ from: FROM, to: 'Ada', url: URL })],
    ['no number to call from', 400, 21213, ({ calls }) => calls.create({ from: '', to: TO, url: URL })],
    ['what is no number to call from', 400, 21212, ({ calls }) => calls.create({ from: 'Ada', to: TO, url: URL })],
    ['a number of somebody else', 400, 21210, ({ calls }) => calls.create({ from: TO, to: TO, url: URL })],
    ['a country without permission', 400, 21215, ({ calls }) => calls.create({ from: FROM, to: '+9791234', url: URL })],
    ['no address of a document', 400, 21205, ({ calls }) => calls.create({ from: FROM, to: TO } as never)],
    ['another machine', 400, 21205, ({ calls }) => calls.create({ from: FROM, to: TO, url: 'http://a.dev/x' })],
    [
      'an unknown event',
      400,
      20001,
      ({ calls }) => calls.create({ from: FROM, to: TO, url: URL, statusCallbackEvent: ['x'] }),
    ],
    ['a call that there is not', 404, 20404, ({ calls }) => calls(NO_CALL).fetch()],
    ['to end a call that there is not', 404, 20404, ({ calls }) => calls(NO_CALL).update({ status: 'completed' })],
    ['a number that there is not', 404, 20404, (client) => client.incomingPhoneNumbers(`PN${'0'.repeat(32)}`).fetch()],
    ['a resource that is not played', 404, 20404, ({ messages }) => messages.list()],
    ['an address that is none', 400, 21402, () => setNumber({ voiceUrl: 'front desk' })],
    ['an application that there is not', 400, 21218, () => setNumber({ voiceApplicationSid: `AP${'0'.repeat(32)}` })],
  ])('is refused %s: %i, %i', async (_title, status, code, refused) => {
    const moreInfo = `https://www.twilio.com/docs/errors/${code}`;
    await expect(refused(vendor)).rejects.toMatchObject({ status, code, moreInfo });
  });

  test('is refused to transfer a call that rings, and to end one that is over', async () => {
    const { sid } = await dial('+12025550103');
    const notInProgress = { status: 400, code: 21220 };
    await expect(vendor.calls(sid).update({ url: URL })).rejects.toMatchObject(notInProgress);
    await vendor.calls(sid).update({ status: 'completed' });
    await expect(vendor.calls(sid).update({ status: 'completed' })).rejects.toMatchObject(notInProgress);
  });

  test.each([
    ['another token', ACCOUNT_SID, 'wrong'],
    ['another account', `AC${'0'.repeat(32)}`, AUTH_TOKEN],
    ['a key that was never made', `SK${'0'.repeat(32)}`, AUTH_TOKEN],
  ])('is refused with %s', async (_title, user, password) => {
    const refused = vendorAt(sandbox.url, user, password).calls.list();
    await expect(refused).rejects.toMatchObject({ status: 401, code: 20003 });
  });

  test('signs in with an API key, which makes no further keys', async () => {
    const { sid, secret } = await vendor.newKeys.create({ friendlyName: 'runner' });
    const byKey = vendorAt(sandbox.url, sid, secret);
    expect(await byKey.calls.list()).toEqual([]);
    await expect(byKey.newKeys.create()).rejects.toMatchObject({ status: 401, code: 20003 });
    const other = vendorAt(sandbox.url, sid, `${secret}0`);
    await expect(other.calls.list()).rejects.toMatchObject({ status: 401 });
  });

  test('reads the account', async () => {
    const account = await vendor.api.v2010.accounts(ACCOUNT_SID).fetch();
    expect(account).toMatchObject({ sid: ACCOUNT_SID, status: 'active', dateCreated: expect.any(Date) });
  });

  test('sets where calls to a number go', async () => {
    const [number, ...others] = await vendor.incomingPhoneNumbers.list({ phoneNumber: sandbox.number });
    expect(others).toEqual([]);
    expect(number).toMatchObject({ phoneNumber: sandbox.number, voiceUrl: '', trunkSid: null });
    const voiceUrl = application.url('/answer');
    const changed = await setNumber({ voiceUrl, voiceMethod: 'GET', statusCallback: application.url('/status') });
    expect(changed).toMatchObject({ voiceUrl, voiceMethod: 'GET', statusCallbackMethod: 'POST' });
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    const asked = await application.requested('/answer');
    expect(asked).toMatchObject({ method: 'GET' });
    await caller.events.next(({ type }) => type === 'answered');
    caller.client.hangUp();
    const { parameters } = await application.requested('/status');
    expect(Object.fromEntries(parameters)).toMatchObject({ CallStatus: 'completed', Direction: 'inbound' });
  });

  test('finds numbers by a part of their digits', async () => {
    const found = async (phoneNumber: string) =>
      (await vendor.incomingPhoneNumbers.list({ phoneNumber })).map((one) => one.phoneNumber);
    expect(await found('0114')).toEqual(['+12025550114']);
    expect(await found('+1*555*0100')).toEqual([sandbox.number]);
    expect(await found('999')).toEqual([]);
  });

  test('puts an application before the address of a number, and a trunk in the place of an application', async () => {
    const voice = await vendor.applications.create({ friendlyName: 'desk', voiceUrl: application.url('/answer') });
    expect((await vendor.applications.list()).map(({ sid }) => sid)).toEqual([voice.sid]);
    expect(await vendor.applications(voice.sid).fetch()).toMatchObject({ friendlyName: 'desk', voiceMethod: 'POST' });
    await setNumber({ voiceUrl: URL, voiceApplicationSid: voice.sid });
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    await application.requested('/answer');
    caller.client.hangUp();
    await caller.ended();
    expect(await setNumber({ trunkSid: SIP_TRUNK_SID })).toMatchObject({ voiceApplicationSid: null });
    caller.dial(sandbox);
    expect(await caller.ended()).toMatchObject({ cause: 'Unallocated Number' });
    expect(await setNumber({ voiceApplicationSid: voice.sid })).toMatchObject({ trunkSid: null });
  });
});

test('answers a transfer when the stream is closed, and not before', () =>
  inTwilioCall(connectTo, async (call) => {
    const { application, sandbox, callSid } = call;
    const { bot } = await streamOf(call);
    application.document('/next', PAUSE);
    await vendorAt(sandbox.url)
      .calls(callSid)
      .update({ url: application.url('/next') });
    expect(bot.socket.readyState).toBeGreaterThan(bot.socket.OPEN);
    expect(bot.messages.all.at(-1)).toMatchObject({ event: 'stop', stop: { callSid, accountSid: ACCOUNT_SID } });
    await application.requested('/next');
  }));

test('has placed a call whose answer is lost, which the product finds again', async () => {
  await using sandbox = await startTwilio({ faults: { failAfterAccepting: 1 } });
  await withProduct(sandbox, async (client) => {
    const numbers = { from: FROM, to: '+12025550103' };
    const place = { ...numbers, answerUrl: URL, ringUrl: URL, hangupUrl: URL, machineUrl: URL };
    const placing = client.placeCall({ ...place, machineDetection: 'report', ringTimeoutS: 60, timeLimitS: 60 });
    await expect(placing).rejects.toMatchObject({ code: 'VB_CALL_UNCERTAIN' });
    expect(await client.findCalls(numbers)).toEqual([expect.stringMatching(/^CA/)]);
  });
});

test('refuses too many requests in the words of the carrier', async () => {
  await using sandbox = await startTwilio({ faults: { tooManyRequests: 1 } });
  const refused = vendorAt(sandbox.url).calls(NO_CALL).update({ status: 'completed' });
  await expect(refused).rejects.toMatchObject({ status: 429, code: 20429 });
});

test('refuses an account that is not one of the carrier', async () => {
  await expect(startTwilio({ authId: 'MATESTTESTTESTTEST00' })).rejects.toMatchObject({
    code: 'VB_IDENTIFIER_INVALID',
  });
});
