import type { PlaceCallRequest } from '../../../src/providers/carrier.js';
import { createTwilioNumberRouting } from '../../../src/providers/twilio/numbers.js';
import { createTwilioRestClient } from '../../../src/providers/twilio/rest.js';
import { PLACE } from '../place-call-request.js';
import { type ReceivedRequest, ScriptedApi } from '../plivo/scripted-api.js';
import { meaningOf } from '../request-meaning.js';
import { CALL_SID, credentialsAt } from './api-account.js';
import { type VendorClient, vendorAt } from './vendor-client.js';

const NUMBER_SID = 'PN0123456789abcdef0123456789abcdef';
const numbers = { from: '+12025550100', to: '+12025550101' };
const place: PlaceCallRequest = { ...PLACE, machineDetection: 'report' };
const called = {
  ...numbers,
  url: place.answerUrl,
  method: 'POST',
  statusCallback: place.ringUrl,
  statusCallbackMethod: 'POST',
  statusCallbackEvent: ['ringing', 'completed'],
  timeout: 45,
  timeLimit: 900,
};
const urls = { answerUrl: 'https://a.dev/answer', hangupUrl: 'https://a.dev/hangup' };

/** An account with one number that everything is set on, and one call. */
function reply({ method, url }: ReceivedRequest) {
  const number = {
    sid: NUMBER_SID,
    phone_number: numbers.from,
    voice_url: 'https://desk.dev/voice',
    voice_method: 'GET',
    voice_fallback_url: 'https://desk.dev/other',
    voice_fallback_method: 'GET',
    status_callback: 'https://desk.dev/status',
    status_callback_method: 'GET',
    voice_application_sid: 'AP0123456789abcdef0123456789abcdef',
    trunk_sid: 'TK0123456789abcdef0123456789abcdef',
  };
  const body =
    method === 'GET' && url.includes('.json?')
      ? { calls: [], incoming_phone_numbers: [number], applications: [], next_page_uri: null }
      : { ...number, ...(url.includes('/Calls') && { sid: CALL_SID }) };
  return { status: method === 'POST' && url.endsWith('/Calls.json') ? 201 : 200, body: JSON.stringify(body) };
}

const vendorOf = (api: ScriptedApi, user?: string, password?: string) => vendorAt(api.url, user, password);

type Intent = [
  title: string,
  ours: (client: Awaited<ReturnType<typeof createTwilioRestClient>>) => Promise<unknown>,
  theirs: (vendor: VendorClient) => Promise<unknown>,
];

test.each<Intent>([
  [
    'dials',
    (client) => client.placeCall({ ...place, machineDetection: 'off' }),
    (vendor) => vendor.calls.create(called),
  ],
  [
    'dials and has what answers found out',
    (client) => client.placeCall(place),
    (vendor) =>
      vendor.calls.create({
        ...called,
        machineDetection: 'Enable',
        asyncAmd: 'true',
        asyncAmdStatusCallback: place.machineUrl,
        asyncAmdStatusCallbackMethod: 'POST',
      }),
  ],
  [
    'looks for calls',
    (client) => client.findCalls(numbers),
    async (vendor) => {
      for (const status of ['queued', 'ringing', 'in-progress'] as const) {
        await vendor.calls.list({ ...numbers, status, pageSize: 100 });
      }
    },
  ],
  [
    'transfers',
    (client) => client.transfer(CALL_SID, 'https://a.dev/transfer?x=1&y=2'),
    (vendor) => vendor.calls(CALL_SID).update({ url: 'https://a.dev/transfer?x=1&y=2', method: 'POST' }),
  ],
  ['hangs up', (client) => client.hangUp(CALL_SID), (vendor) => vendor.calls(CALL_SID).update({ status: 'completed' })],
])("%s in the words of the vendor's client", async (_title, ours, theirs) => {
  await using api = await ScriptedApi.listen(reply);
  const client = await createTwilioRestClient(credentialsAt(api));
  await ours(client);
  await client.close();
  const asked = api.requests.splice(0).map(meaningOf);
  await theirs(vendorOf(api));
  expect(asked).toEqual(api.requests.map(meaningOf));
  expect(asked.length).toBeGreaterThan(0);
});

test("signs in with an API key as the vendor's client does", async () => {
  await using api = await ScriptedApi.listen(reply);
  const apiKey = { id: 'SK0123456789abcdef0123456789abcdef', secret: 'not-the-token' };
  const client = await createTwilioRestClient({ ...credentialsAt(api), apiKey });
  await client.hangUp(CALL_SID);
  await client.close();
  await vendorOf(api, apiKey.id, apiKey.secret).calls(CALL_SID).update({ status: 'completed' });
  const [ours, theirs] = api.requests.map(meaningOf);
  expect(ours).toEqual(theirs);
  expect(ours?.authorization).toBe(`Basic ${btoa(`${apiKey.id}:${apiKey.secret}`)}`);
});

test("sets and reads a number in the words of the vendor's client", async () => {
  await using api = await ScriptedApi.listen(reply);
  const routing = await createTwilioNumberRouting(credentialsAt(api));
  const target = { number: numbers.from, urls, leaseId: 'lease0001', isOldAddress: () => false };
  const { change } = await routing.plan(target);
  await routing.apply(change);
  await routing.close();
  const asked = api.requests.splice(0).map(meaningOf);

  const vendor = vendorOf(api);
  await vendor.incomingPhoneNumbers.list({ pageSize: 100 });
  await vendor.applications('AP0123456789abcdef0123456789abcdef').fetch();
  await vendor.incomingPhoneNumbers(NUMBER_SID).fetch();
  await vendor.incomingPhoneNumbers(NUMBER_SID).update({
    voiceUrl: urls.answerUrl,
    voiceMethod: 'POST',
    voiceFallbackUrl: urls.answerUrl, // a trunk has no address that could be asked for a document
    voiceFallbackMethod: 'POST',
    statusCallback: urls.hangupUrl,
    statusCallbackMethod: 'POST',
    voiceApplicationSid: '',
    trunkSid: '',
  });
  expect(asked).toEqual(api.requests.map(meaningOf));
});
