import type { CarrierRestClient } from '../../../src/providers/carrier.js';
import { createTwilioRestClient } from '../../../src/providers/twilio/rest.js';
import { ManualClock } from '../../base/http/manual-clock.js';
import { PLACE } from '../place-call-request.js';
import { type ReceivedRequest, type Reply, ScriptedApi } from '../plivo/scripted-api.js';
import { ACCOUNT_SID, AUTH_TOKEN, CALL_SID, credentialsAt, withClient } from './api-account.js';

const OTHER_SID = 'CA00000000000000000000000000000002';
const placeCall = (client: CarrierRestClient) => client.placeCall(PLACE);
const findCalls = (client: CarrierRestClient) => client.findCalls(PLACE);
const hangUp = (client: CarrierRestClient) => client.hangUp(CALL_SID);
const transfer = (client: CarrierRestClient) => client.transfer(CALL_SID, 'https://a.dev/transfer');

const taken: Reply = { status: 201, body: JSON.stringify({ sid: CALL_SID, status: 'queued' }) };
const refusal = (status: number, code: number, message: string): Reply => ({
  status,
  body: JSON.stringify({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }),
});

/** What `promise` rejects with. */
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error as { code: string; message: string; hint?: string },
  );

describe('placing a call', () => {
  test.each([
    [{ sid: CALL_SID }, CALL_SID],
    [{ sid: '../Accounts' }, undefined],
    [{ sid: 17 }, undefined],
    [{}, undefined],
  ])('takes the identifier from %j', async (answer, callId) => {
    const api = await ScriptedApi.listen([{ status: 201, body: JSON.stringify(answer) }]);
    expect(await withClient(api, placeCall)).toEqual({ providerCallId: callId });
  });

  test('has a machine reported in the background, also where the call is to end on one', async () => {
    const api = await ScriptedApi.listen([taken]);
    await withClient(api, (client) => client.placeCall({ ...PLACE, machineDetection: 'hangup' }));
    expect(Object.fromEntries(new URLSearchParams(api.requests[0]?.body))).toMatchObject({
      MachineDetection: 'Enable',
      AsyncAmd: 'true',
      AsyncAmdStatusCallback: PLACE.machineUrl,
    });
  });

  test.each<[Reply]>([
    ['break'],
    ['silence'],
    [{ status: 500, body: '{"code":20500}' }],
    [{ status: 503, headers: { 'retry-after': '0' } }],
    [{ status: 201, body: '' }],
    [{ status: 201, body: '<html>' }],
    [{ status: 201, stopsShort: true }],
  ])('does not know what became of it after %j, and does not try again', async (reply) => {
    const api = await ScriptedApi.listen([reply, taken]);
    const error = await failure(withClient(api, placeCall, { timeoutMs: reply === 'silence' ? 500 : 10_000 }));
    expect(error).toMatchObject({ code: 'VB_CALL_UNCERTAIN', hint: expect.stringContaining('look the call up') });
    expect(api.requests).toHaveLength(1);
  });

  test('waits when the carrier is busy, and dials again', async () => {
    const clock = new ManualClock();
    const api = await ScriptedApi.listen([refusal(429, 20429, 'Too Many Requests'), taken]);
    expect(await withClient(api, placeCall, { clock })).toEqual({ providerCallId: CALL_SID });
    expect(clock.pauses).toEqual([1_000]);
  });

  test('gives up when it stays busy, and says so', async () => {
    const api = await ScriptedApi.listen([refusal(429, 20429, 'Too Many Requests')]);
    expect(await failure(withClient(api, placeCall, { clock: new ManualClock() }))).toMatchObject({
      code: 'VB_CARRIER_REQUEST_FAILED',
      status: 429,
      retryable: true,
      hint: expect.stringContaining('fewer requests'),
    });
    expect(api.requests).toHaveLength(4);
  });

  test('is sure that nothing was sent when nobody answers at the address', async () => {
    const api = await ScriptedApi.listen([taken]);
    const credentials = credentialsAt(api);
    await api[Symbol.asyncDispose]();
    const client = await createTwilioRestClient(credentials);
    expect(await failure(placeCall(client))).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    await client.close();
  });

  test.each(['12025550101', '', '+1', '+12025550101,+12025550102', 'sip:a@b', 'client:joe'])(
    'never dials %j',
    async (to) => {
      const api = await ScriptedApi.listen([taken]);
      const error = await failure(withClient(api, (client) => client.placeCall({ ...PLACE, to })));
      expect(error).toMatchObject({ code: 'VB_REQUEST_INVALID' });
      expect(api.requests).toEqual([]);
    },
  );
});

describe('a refusal', () => {
  test.each([
    [400, 21219, 'The number +12025550101 is unverified.', /phone-numbers\/manage\/verified/],
    [400, 21608, 'The number is unverified.', /phone-numbers\/manage\/verified/],
    [400, 21215, 'Account not authorized to call +12025550101.', /geo-permissions/],
    [400, 13227, 'Geo permission', /geo-permissions/],
    [400, 21210, "'From' phone number not verified", /CARRIER_PHONE_NUMBER.*phone-numbers\/manage\/incoming/],
    [400, 21212, "Invalid 'From' Phone Number", /CARRIER_PHONE_NUMBER/],
    [403, 20005, 'Account is not active', /console\.twilio\.com\/us1\/billing/],
    [401, 20005, 'Account suspended', /billing/],
    [403, 10001, 'Account is not active', /billing/],
    [400, 99999, 'Insufficient funds', /billing/],
    [400, 21211, "Invalid 'To' Phone Number", /docs\/errors\/21211/],
  ])('with status %d and code %d keeps its words, and says where it is changed', async (status, code, words, hint) => {
    const api = await ScriptedApi.listen([refusal(status, code, words)]);
    const error = await failure(withClient(api, placeCall));
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status, error: String(code), retryable: false });
    expect(error.message).toContain(`${code} ${words.replace('+12025550101', '[number]')}`);
    expect(error.hint).toMatch(hint);
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    [401, 20003, 'Authenticate'],
    [403, 20003, 'Permission Denied'],
    [403, 20008, 'Resource not accessible with Test Account Credentials'],
  ])('with status %d and code %d is about the credentials', async (status, code, words) => {
    const api = await ScriptedApi.listen([refusal(status, code, words)]);
    const error = await failure(withClient(api, placeCall));
    expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED', status, hint: expect.stringContaining('api-keys') });
    expect(error.message).toContain(words);
  });

  test.each(['', '<html>', '[]', '{"code":"x"}', '{"message":7}'])('may be no words at all: %j', async (body) => {
    const api = await ScriptedApi.listen([{ status: 400, body }]);
    expect(await failure(withClient(api, placeCall))).toMatchObject({
      code: 'VB_CARRIER_REQUEST_FAILED',
      error: undefined,
    });
  });

  test('shows no secret that the carrier repeats', async () => {
    const basic = btoa(`${ACCOUNT_SID}:${AUTH_TOKEN}`);
    for (const status of [400, 401]) {
      const api = await ScriptedApi.listen([
        refusal(status, 1, `you sent ${AUTH_TOKEN} and ${basic} to https://a.dev/x?y`),
      ]);
      const error = await failure(withClient(api, placeCall));
      expect(error.message).toContain('you sent [redacted] and [redacted] to [address]');
    }
  });
});

describe('finding calls', () => {
  const calls: Readonly<Record<string, unknown[]>> = {
    queued: [{ sid: CALL_SID, direction: 'outbound-api' }, { sid: '../x', direction: 'outbound-api' }, 7],
    ringing: [{ sid: CALL_SID, direction: 'outbound-api' }],
    'in-progress': [
      { sid: OTHER_SID, direction: 'outbound-api' },
      { sid: 'CA00000000000000000000000000000003', direction: 'inbound' },
    ],
  };

  test('asks in the order a call goes through, and names each once', async () => {
    const api = await ScriptedApi.listen(({ url }) => {
      const status = new URL(url, 'http://a.dev').searchParams.get('Status') ?? '';
      return { status: 200, body: JSON.stringify({ calls: calls[status], next_page_uri: null }) };
    });
    expect(await withClient(api, findCalls)).toEqual([CALL_SID, OTHER_SID]);
    expect(api.requests.map(({ url }) => new URL(url, 'http://a.dev').searchParams.get('Status'))).toEqual([
      'queued',
      'ringing',
      'in-progress',
    ]);
  });

  test('follows pages, and never to another place', async () => {
    const api = await ScriptedApi.listen(({ url }: ReceivedRequest) => {
      const isFirst = !url.includes('PageToken');
      const next = isFirst ? 'https://elsewhere.example.com/x.json?Page=1&PageToken=PA1' : null;
      const sid = isFirst ? CALL_SID : OTHER_SID;
      return {
        status: 200,
        body: JSON.stringify({ calls: [{ sid, direction: 'outbound-api' }], next_page_uri: next }),
      };
    });
    expect(await withClient(api, findCalls)).toEqual([CALL_SID, OTHER_SID]);
    expect(api.requests[1]?.url).toBe(`/2010-04-01/Accounts/${ACCOUNT_SID}/Calls.json?Page=1&PageToken=PA1`);
  });

  test.each(['', '[]', '{}', '{"calls":{}}', '<html>'])('fails on the answer %j', async (body) => {
    const api = await ScriptedApi.listen([{ status: 200, body }]);
    expect(await failure(withClient(api, findCalls))).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED' });
  });
});

describe.each([
  ['hanging up', hangUp, 'ended', 'already_ended'],
  ['transferring', transfer, 'transferring', 'no_such_call'],
] as const)('%s', (_title, ask, done, over) => {
  test('is done, also after a failure that passes', async () => {
    const api = await ScriptedApi.listen([{ status: 503 }, 'break', { status: 200, body: '{}' }]);
    expect(await withClient(api, ask)).toBe(done);
    expect(api.requests).toHaveLength(3);
  });

  test.each([
    refusal(404, 20404, 'The requested resource was not found'),
    refusal(400, 21220, 'Call is not in-progress. Cannot redirect.'),
    refusal(400, 20404, 'gone'),
    { status: 404 },
  ])('finds that the call is over: %j', async (reply) => {
    const api = await ScriptedApi.listen([reply]);
    expect(await withClient(api, ask)).toBe(over);
    expect(api.requests).toHaveLength(1);
  });

  test('fails on any other refusal', async () => {
    const api = await ScriptedApi.listen([refusal(400, 21205, 'Invalid Url')]);
    expect(await failure(withClient(api, ask))).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', error: '21205' });
  });
});

test.each(['', '.', '../Calls', 'CA1', `${CALL_SID}/`, `${CALL_SID}?`, CALL_SID.replace('CA', 'PN')])(
  'never asks for the call %j',
  async (id) => {
    const api = await ScriptedApi.listen([{ status: 200 }]);
    const asked = withClient(api, async (client) => {
      expect(await failure(client.hangUp(id))).toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
      expect(await failure(client.transfer(id, 'https://a.dev'))).toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
    });
    await asked;
    expect(api.requests).toEqual([]);
  },
);

test.each([
  [{ authId: '' }, 'VB_CREDENTIALS_MISSING'],
  [{ authToken: '' }, 'VB_CREDENTIALS_MISSING'],
  [{ apiKey: { id: '', secret: 'x' } }, 'VB_CREDENTIALS_MISSING'],
  [{ apiKey: { id: 'SK1', secret: '' } }, 'VB_CREDENTIALS_MISSING'],
  [{ authId: `${ACCOUNT_SID}/..` }, 'VB_IDENTIFIER_INVALID'],
  [{ authId: AUTH_TOKEN }, 'VB_IDENTIFIER_INVALID'],
])('opens no API with %j', async (change, code) => {
  const credentials = { ...credentialsAt({ url: 'http://127.0.0.1:1' }), ...change };
  const error = await failure(createTwilioRestClient(credentials));
  expect(error).toMatchObject({ code });
  expect(error.message).not.toContain(AUTH_TOKEN);
});
