import type Telnyx from 'telnyx';
import type { CarrierRestClient, PlaceCallRequest } from '../../../src/providers/carrier.js';
import { createTelnyxNumberRouting } from '../../../src/providers/telnyx/numbers.js';
import { createTelnyxRestClient } from '../../../src/providers/telnyx/rest.js';
import { PLACE } from '../place-call-request.js';
import { type ReceivedRequest, ScriptedApi } from '../plivo/scripted-api.js';
import { meaningOf } from '../request-meaning.js';
import { ACCOUNT_ID, CALL_ID, credentialsAt, vendorAt } from './vendor-client.js';

const APPLICATION_ID = '1293384261075731499';
const NEW_APPLICATION_ID = '1293384261075731500';
const NUMBER_ID = '1293384261075731501';
const PROFILE_ID = '1293384261075731502';
const numbers = { from: '+12025550100', to: '+12025550101' };
const urls = { answerUrl: 'https://a.dev/answer', hangupUrl: 'https://a.dev/hangup' };
const place: PlaceCallRequest = { ...PLACE, machineDetection: 'report' };
const called = {
  ApplicationSid: APPLICATION_ID,
  From: numbers.from,
  To: numbers.to,
  Url: place.answerUrl,
  UrlMethod: 'POST',
  StatusCallback: place.ringUrl,
  StatusCallbackMethod: 'POST',
  StatusCallbackEvent: 'ringing completed',
  Timeout: 45,
  TimeLimit: 900,
} as const;

/** An account with one number, its application, and one call. */
function reply({ method, url }: ReceivedRequest) {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const number = { id: NUMBER_ID, phone_number: numbers.from, connection_id: APPLICATION_ID };
  const application = {
    id: method === 'POST' ? NEW_APPLICATION_ID : APPLICATION_ID,
    friendly_name: 'desk',
    voice_url: 'https://desk.dev/voice',
    voice_method: 'get',
    outbound_voice_profile_id: PROFILE_ID,
  };
  const list = (all: object[]) => ({ data: all, meta: { total_pages: 1, page_number: 1 } });
  const body = pathname.endsWith('/whoami')
    ? { data: { organization_id: ACCOUNT_ID } }
    : pathname.includes('/Calls')
      ? { calls: [], call_sid: CALL_ID, next_page_uri: null }
      : pathname.endsWith('/phone_numbers')
        ? list([number])
        : pathname.includes('/phone_numbers/')
          ? { data: number }
          : method === 'GET' && pathname.endsWith('/texml_applications')
            ? list(searchParams.has('filter[friendly_name]') ? [] : [application])
            : { data: application };
  return { status: 200, body: JSON.stringify(body) };
}

/** Everything but whose the key is, which the package has no request for. */
const askedOf = (api: ScriptedApi) =>
  api.requests
    .splice(0)
    .filter(({ url }) => !url.endsWith('/whoami'))
    .map(meaningOf);

const readNumber = (vendor: Telnyx) =>
  vendor.phoneNumbers.list({ filter: { phone_number: numbers.from.slice(1) }, 'page[number]': 1, 'page[size]': 250 });

async function dial(vendor: Telnyx, more: object = {}): Promise<void> {
  await readNumber(vendor);
  await vendor.texmlApplications.retrieve(APPLICATION_ID);
  await vendor.texml.accounts.calls.calls(ACCOUNT_ID, { body: { ...called, ...more } });
}

type Intent = [
  title: string,
  ours: (client: CarrierRestClient) => Promise<unknown>,
  theirs: (vendor: Telnyx) => Promise<unknown>,
];

test.each<Intent>([
  ['dials', (client) => client.placeCall({ ...place, machineDetection: 'off' }), (vendor) => dial(vendor)],
  [
    'dials and has what answers found out',
    (client) => client.placeCall(place),
    (vendor) =>
      dial(vendor, {
        MachineDetection: 'Enable',
        AsyncAmd: true,
        AsyncAmdStatusCallback: place.machineUrl,
        AsyncAmdStatusCallbackMethod: 'POST',
      }),
  ],
  [
    'looks for calls',
    (client) => client.findCalls(numbers),
    (vendor) =>
      vendor.texml.accounts.calls.retrieveCalls(ACCOUNT_ID, { From: numbers.from, To: numbers.to, PageSize: 100 }),
  ],
  [
    'transfers',
    (client) => client.transfer(CALL_ID as never, 'https://a.dev/transfer?x=1&y=2'),
    (vendor) =>
      vendor.texml.accounts.calls.update(CALL_ID, {
        account_sid: ACCOUNT_ID,
        Url: 'https://a.dev/transfer?x=1&y=2',
        Method: 'POST',
      }),
  ],
  [
    'hangs up',
    (client) => client.hangUp(CALL_ID as never),
    (vendor) => vendor.texml.accounts.calls.update(CALL_ID, { account_sid: ACCOUNT_ID, Status: 'completed' }),
  ],
])("%s in the words of the vendor's client", async (_title, ours, theirs) => {
  await using api = await ScriptedApi.listen(reply);
  const client = await createTelnyxRestClient(credentialsAt(api));
  await ours(client);
  await client.close();
  const asked = askedOf(api);
  await theirs(vendorAt(api.url));
  expect(asked).toEqual(askedOf(api));
  expect(asked.length).toBeGreaterThan(0);
});

test("points a number at an application of its own in the words of the vendor's client", async () => {
  await using api = await ScriptedApi.listen(reply);
  const routing = await createTelnyxNumberRouting(credentialsAt(api));
  const target = { number: numbers.from, urls, leaseId: 'lease0001', isOldAddress: () => false };
  const { change } = await routing.plan(target);
  await routing.apply(change);
  await routing.undo(change);
  await routing.close();
  const asked = askedOf(api);

  const vendor = vendorAt(api.url);
  const page = { 'page[number]': 1, 'page[size]': 250 };
  const friendly_name = 'voicebot-12025550100-lease0001';
  await readNumber(vendor);
  await vendor.texmlApplications.list(page);
  await vendor.texmlApplications.list({ ...page, filter: { friendly_name }, sort: 'created_at' });
  await vendor.texmlApplications.retrieve(APPLICATION_ID);
  await vendor.texmlApplications.retrieve(NEW_APPLICATION_ID);
  await vendor.connections.retrieve(APPLICATION_ID);
  await vendor.phoneNumbers.list(page);
  const reads = askedOf(api);
  await vendor.texmlApplications.create({
    friendly_name,
    voice_url: urls.answerUrl,
    voice_method: 'post',
    status_callback: urls.hangupUrl,
    status_callback_method: 'post',
    voice_fallback_url: 'https://desk.dev/voice',
    outbound: { outbound_voice_profile_id: PROFILE_ID },
  });
  await vendor.phoneNumbers.update(NUMBER_ID, { connection_id: NEW_APPLICATION_ID });
  const writes = askedOf(api);

  expect(asked.filter(({ method }) => method !== 'GET')).toEqual(writes);
  for (const read of asked.filter(({ method }) => method === 'GET')) expect(reads).toContainEqual(read);
});
