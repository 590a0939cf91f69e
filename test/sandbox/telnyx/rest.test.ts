import Telnyx from 'telnyx';
import { createTelnyxRestClient } from '../../../src/providers/telnyx/rest.js';
import { newAccount } from '../../../src/sandbox/new-account.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { vendorAt } from '../../providers/telnyx/vendor-client.js';
import { FakeApplication } from '../fake-application.js';
import { startFastSandbox } from '../fake-caller.js';

const FROM = '+12025550100';
const TO = '+12025550101';
const NOWHERE = 'http://127.0.0.1:1/answer';
const PAUSE = '<Pause length="3600"/>';
const NO_CALL = `v3:${'a'.repeat(56)}`;
const account = newAccount('telnyx');

let application: FakeApplication;
let sandbox: Sandbox;
let vendor: Telnyx;
let accountId: string;
let applicationId: string;

beforeEach(async () => {
  application = await FakeApplication.start(account.authToken);
  application.document('/answer', PAUSE);
  application.document('/next', PAUSE);
  sandbox = await startFastSandbox({ carrier: 'telnyx', ...account });
  vendor = vendorAt(sandbox.apiUrl, account.authToken);
  const me = (await vendor.get('/whoami')) as { data: { organization_id: string } };
  accountId = me.data.organization_id;
  [{ id: applicationId = '' } = {}] = (await vendor.texmlApplications.list()).data;
});
afterEach(async () => {
  await sandbox.close();
  await application[Symbol.asyncDispose]();
});

const calls = () => vendor.texml.accounts.calls;
/** Its identifier is in no type of the package. */
const place = (fields: object = {}): Promise<{ from?: string; call_sid?: string }> =>
  calls().calls(accountId, {
    body: { ApplicationSid: applicationId, From: FROM, To: TO, Url: application.url('/answer?x=1'), ...fields },
  });
const lookUp = (callId: string) => calls().retrieve(callId, { account_sid: accountId });
const change = (callId: string, fields: object) => calls().update(callId, { account_sid: accountId, ...fields });

test("the vendor's client dials, looks up, transfers and ends a call, and is told how it goes", async () => {
  const placed = await place({
    StatusCallback: application.url('/status'),
    StatusCallbackEvent: 'ringing answered completed',
  });
  expect(placed).toMatchObject({ from: FROM, to: TO, status: 'queued' });
  const { call_sid: id = '' } = placed;
  expect((await application.requested('/answer')).parameters.get('CallStatus')).toBe('in-progress');
  expect(await lookUp(id)).toMatchObject({ sid: id, status: 'in-progress', end_time: null });
  const found = await calls().retrieveCalls(accountId, { From: FROM, To: TO });
  expect(found.calls?.map(({ sid }) => sid)).toEqual([id]);

  await change(id, { Url: application.url('/next'), Method: 'POST' });
  expect((await application.requested('/next')).parameters.get('CallSid')).toBe(id);
  await change(id, { Status: 'completed' });
  expect(await lookUp(id)).toMatchObject({ status: 'completed', end_time: expect.any(String) });
  await application.webhooks.next(({ parameters }) => parameters.get('CallStatus') === 'completed');
  const told = application.webhooks.all.filter(({ path }) => path === '/status');
  expect(told.map(({ parameters }) => parameters.get('CallStatus'))).toEqual(['ringing', 'in-progress', 'completed']);
});

test("the vendor's client makes, changes, attaches and deletes a TeXML application", async () => {
  const { data: made } = await vendor.texmlApplications.create({ friendly_name: 'desk', voice_url: NOWHERE });
  const id = made?.id as string;
  const [{ id: numberId = '' } = {}] = (await vendor.phoneNumbers.list({ filter: { phone_number: FROM.slice(1) } }))
    .data;
  await vendor.phoneNumbers.update(numberId, { connection_id: id });
  expect((await vendor.phoneNumbers.retrieve(numberId)).data).toMatchObject({ connection_id: id });
  expect((await vendor.phoneNumbers.list({ filter: { phone_number: FROM } })).data).toEqual([]); // with its +
  const voice_url = `${NOWHERE}?x=1`;
  await vendor.texmlApplications.update(id, { friendly_name: 'desk', voice_url, voice_method: 'get' });
  expect((await vendor.texmlApplications.retrieve(id)).data).toMatchObject({ voice_url, voice_method: 'get' });
  await vendor.texmlApplications.delete(id);
  await expect(vendor.texmlApplications.retrieve(id)).rejects.toBeInstanceOf(Telnyx.NotFoundError);
});

test("the vendor's client pages through the numbers", async () => {
  const numbers: unknown[] = [];
  for await (const { phone_number } of vendor.phoneNumbers.list({ 'page[size]': 3 })) numbers.push(phone_number);
  expect(new Set(numbers).size).toBe(10);
  expect(numbers).toHaveLength(10);
});

type Refused = () => Promise<unknown>;
test.each<[title: string, status: number, code: string, refused: Refused]>([
  ['another key', 401, '10009', () => vendorAt(sandbox.apiUrl, 'KEY0_x').phoneNumbers.list()],
  ['another account', 404, '10005', () => calls().retrieveCalls('0b5d3f4e-2c1a-4e0b-9d3c-7a1f5e8b6c2d')],
  ['an unknown application', 422, '10027', () => place({ ApplicationSid: '1' })],
  ['a number of somebody else', 422, '10027', () => place({ From: '+12025550999' })],
  ['what is no number', 422, '10027', () => place({ To: 'Ada' })],
  ['an address that is not here', 422, '10027', () => place({ Url: 'http://a.dev/x' })],
  ['a time out of range', 422, '10027', () => place({ Timeout: 4 })],
  ['an unknown call', 404, '10005', () => change(NO_CALL, { Status: 'completed' })],
  [
    'an application without an address',
    422,
    '10027',
    () => vendor.texmlApplications.create({ friendly_name: 'x' } as never),
  ],
  [
    'a change without a name',
    422,
    '10027',
    () => vendor.texmlApplications.update(applicationId, { voice_url: NOWHERE } as never),
  ],
  [
    'a connection that there is none of',
    422,
    '10027',
    async () => {
      const [{ id = '' } = {}] = (await vendor.phoneNumbers.list()).data;
      return vendor.phoneNumbers.update(id, { connection_id: '1' });
    },
  ],
])('%s is refused as the vendor documents it: %d, %s', async (_title, status, code, refused) => {
  await expect(refused()).rejects.toMatchObject({ status, error: { errors: [{ code, detail: expect.any(String) }] } });
});

test('a call that is over is neither changed nor missed', async () => {
  const { call_sid: id = '' } = await place({ To: '+12025550102' });
  await change(id, { Status: 'completed' }).catch(() => {});
  await expect(change(id, { Status: 'completed' })).rejects.toMatchObject({
    status: 422,
    error: { errors: [{ code: '90018' }] },
  });
  const product = await createTelnyxRestClient({ ...account, apiUrl: sandbox.apiUrl });
  expect(await product.hangUp(id as never)).toBe('already_ended');
  expect(await product.transfer(id as never, NOWHERE)).toBe('no_such_call');
  await product.close();
});
