import { asProviderCallId } from '../../../src/call/call-id.js';
import type { DailyRestClient } from '../../../src/providers/daily/rest.js';
import { exchange, json, type Reply, refusal } from './fake-provider.js';

const held = {
  providerCallId: asProviderCallId('call/1 ?'),
  callDomain: '22222222',
  sipUri: 'sip:1.0@acme.sip.daily.co',
};

const forward = (client: DailyRestClient) => client.forwardCaller(held);

describe('forwarding a held caller', () => {
  test.each(['sip:1.0@acme.sip.daily.co', '1.0@acme.sip.daily.co'])('sends %s with its scheme', async (sipUri) => {
    const act = (client: DailyRestClient) => client.forwardCaller({ ...held, sipUri });
    const { result, lines, bodies } = await exchange([json({ ok: 'true' })], act);
    expect(result).toBe('forwarded');
    expect(lines).toEqual(['POST /dialin/pinlessCallUpdate']);
    const { providerCallId: callId, callDomain } = held;
    expect(bodies).toEqual([{ callId, callDomain, sipUri: 'sip:1.0@acme.sip.daily.co' }]);
  });

  test.each(['{"ok":true}', '{"ok":"true"}', '{}', '', 'OK'])('is done whatever a 200 says: %j', async (body) => {
    expect(await exchange([{ status: 200, body }], forward)).toMatchObject({ result: 'forwarded' });
  });

  test('finds the caller gone', async () => {
    const { result, lines } = await exchange([refusal(404, 'call forwarding failed')], forward);
    expect(result).toBe('no_such_call');
    expect(lines).toHaveLength(1);
  });

  test.each<[Reply]>([['break'], [json({}, 500)], [json({}, 503)], [{ status: 200, stopsShort: true }]])(
    'is tried again after %j, and was done the first time when the caller is held no more',
    async (reply) => {
      expect(await exchange([reply, json({ ok: true })], forward)).toMatchObject({ result: 'forwarded' });
      const { result, lines } = await exchange([reply, refusal(404, 'call forwarding failed')], forward);
      expect(result).toBe('forwarded');
      expect(lines).toHaveLength(2);
    },
  );

  test('finds the caller gone when the provider was only busy before', async () => {
    const { result } = await exchange([json({}, 429), refusal(404, 'call forwarding failed')], forward);
    expect(result).toBe('no_such_call');
  });

  test('fails when the request itself is wrong', async () => {
    const { error } = await exchange([refusal(400, 'missing callDomain')], forward);
    expect(error).toMatchObject({ code: 'VB_ROOMS_REQUEST_FAILED', status: 400, text: 'missing callDomain' });
  });
});
