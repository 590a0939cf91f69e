import type { CarrierRestClient } from '../../../src/providers/carrier.js';
import { createTelnyxRestClient } from '../../../src/providers/telnyx/rest.js';
import { PLACE } from '../place-call-request.js';
import { type ReceivedRequest, type Reply, ScriptedApi } from '../plivo/scripted-api.js';
import { ACCOUNT_ID, API_KEY, CALL_ID, credentialsAt } from './vendor-client.js';

const APPLICATION_ID = '1293384261075731499';
const placeCall = (client: CarrierRestClient) => client.placeCall(PLACE);
const findCalls = (client: CarrierRestClient) => client.findCalls(PLACE);
const hangUp = (client: CarrierRestClient) => client.hangUp(CALL_ID as never);

const json = (status: number, body: object): Reply => ({ status, body: JSON.stringify(body) });
const refusal = (status: number, detail: string, code = '10027') =>
  json(status, { errors: [{ code, title: 'Unprocessable entity', detail }] });

/** Does it with a client of an account with one number. @param answers to requests about calls, in turn; the last one stays */
async function asked<T>(
  answers: readonly Reply[],
  use: (client: CarrierRestClient) => Promise<T>,
  number: object = {},
) {
  const about: ReceivedRequest[] = [];
  await using api = await ScriptedApi.listen((received) => {
    const { pathname } = new URL(received.url, 'http://127.0.0.1');
    if (pathname.endsWith('/whoami')) return json(200, { data: { organization_id: ACCOUNT_ID } });
    if (pathname.endsWith('/phone_numbers'))
      return json(200, { data: [{ id: '1', phone_number: PLACE.from, connection_id: APPLICATION_ID, ...number }] });
    if (pathname.includes('/texml_applications/')) return json(200, { data: { id: APPLICATION_ID } });
    about.push(received);
    return answers[Math.min(about.length, answers.length) - 1] as Reply;
  });
  const client = await createTelnyxRestClient(credentialsAt(api), { repeats: { firstWaitMs: 1 } });
  const outcome = await use(client).then(
    (value) => ({ value, error: undefined }),
    (error: { code: string; message: string; hint?: string }) => ({ value: undefined, error }),
  );
  await client.close();
  return { ...outcome, requests: about };
}

test.each([
  [{ call_sid: CALL_ID }, CALL_ID],
  [{ sid: CALL_ID }, CALL_ID],
  [{ call_sid: '../Accounts' }, undefined],
  [{ status: 'queued' }, undefined],
])('takes the identifier of a placed call from %j: the package promises none', async (answer, callId) => {
  expect((await asked([json(200, answer)], placeCall)).value).toEqual({ providerCallId: callId });
});

test.each<[Reply]>([
  ['break'],
  [json(500, { errors: [] })],
  [{ status: 503, headers: { 'retry-after': '0' } }],
  [{ status: 200, body: '<html>' }],
])('does not know what became of a call after %j, and does not place it again', async (reply) => {
  const { error, requests } = await asked([reply, json(200, { call_sid: CALL_ID })], placeCall);
  expect(error).toMatchObject({ code: 'VB_CALL_UNCERTAIN' });
  expect(requests).toHaveLength(1);
});

test.each([
  ['D13 Dialed number is not included in whitelisted countries', 'Voice, Outbound Voice Profiles'],
  ['The connection has no outbound voice profile assigned', 'Voice, TeXML Applications, Outbound'],
  ['D11 Insufficient funds', 'Billing'],
  ['D60 Dialing is limited at this account level: the number is not verified', 'Account, Verifications'],
  ['D20 User channel limit exceeded', 'Voice, Outbound Voice Profiles'],
  ['D35 Caller id number is invalid', 'Numbers, My Numbers'],
])("a refusal of %j is told of in the carrier's words, with the page where it is changed", async (words, page) => {
  const { error, requests } = await asked([refusal(422, words)], placeCall);
  expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', message: expect.stringContaining(words) });
  expect(error?.hint).toMatch(new RegExp(`: portal\\.telnyx\\.com, ${page}$`));
  expect(requests).toHaveLength(1);
});

test('a key that the carrier does not take is told of without being shown', async () => {
  const { error } = await asked([refusal(401, `No key ${API_KEY}`, '10009')], findCalls);
  expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', hint: expect.stringContaining('API Keys') });
  expect(JSON.stringify({ ...error, message: error?.message })).not.toContain(API_KEY);
});

test.each([
  ['is not one of the account', { phone_number: '+12025550999' }, 'is not a number of this account'],
  ['has no application', { connection_id: null }, 'has no TeXML application to place calls by'],
])('no call is placed from a number that %s', async (_title, number, words) => {
  const { error, requests } = await asked([json(200, {})], placeCall, number);
  expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', message: expect.stringContaining(words) });
  expect(requests).toEqual([]);
});

test.each([
  [refusal(404, 'gone', '10005'), 'already_ended', 1],
  [refusal(422, 'This call is no longer active', '90018'), 'already_ended', 1],
  [json(200, { status: 'completed' }), 'ended', 1],
])('hanging up, answered %j: %s', async (reply, outcome, times) => {
  const { value, requests } = await asked([reply], hangUp);
  expect(value).toBe(outcome);
  expect(requests).toHaveLength(times);
});

test('a hang-up is tried again while the carrier is broken or busy', async () => {
  const busy = { status: 429, headers: { 'retry-after': '0' }, body: '{}' };
  const { value, requests } = await asked([json(503, {}), busy, json(200, {})], hangUp);
  expect([value, requests.length]).toEqual(['ended', 3]);
});

test('calls are looked for through all pages, those that go on and are ours', async () => {
  const call = (sid: string, fields: object = {}) => ({ sid, status: 'in-progress', direction: 'outbound', ...fields });
  const pages = [
    json(200, { calls: [call('v3:1'), call('v3:2', { status: 'completed' })], next_page_uri: '/x?Page=1&PageToken=t' }),
    json(200, { calls: [call('v3:3', { direction: 'inbound' }), call('../4'), call('v3:5')], next_page_uri: null }),
  ];
  const { value, requests } = await asked(pages, findCalls);
  expect(value).toEqual(['v3:1', 'v3:5']);
  const queries = requests.map(({ url }) => Object.fromEntries(new URL(url, 'http://127.0.0.1').searchParams));
  const query = { From: PLACE.from, To: PLACE.to, PageSize: '100' };
  expect(queries).toEqual([query, { ...query, Page: '1', PageToken: 't' }]);
});
