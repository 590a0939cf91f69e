import twilioPackage from 'twilio';
import { vendorAt } from '../../providers/twilio/vendor-client.js';
import type { ReceivedWebhook } from '../fake-application.js';
import { AUTH_TOKEN, connectTo, inTwilioCall, PAUSE, streamOf } from './twilio-sandbox.js';

const { validateRequest, validateRequestWithBody } = twilioPackage;

type Signed = Pick<ReceivedWebhook, 'url' | 'headers' | 'method' | 'parameters'>;

const signatureOf = ({ headers }: Pick<Signed, 'headers'>): string => String(headers['x-twilio-signature']);

const isValid = (request: Signed, changes: { url?: string; token?: string; more?: Record<string, string> } = {}) => {
  const form = request.method === 'POST' ? Object.fromEntries(request.parameters) : {};
  const { url = request.url, token = AUTH_TOKEN, more = {} } = changes;
  return validateRequest(token, signatureOf(request), url, { ...form, ...more });
};

test("a webhook is signed to the vendor's satisfaction, every byte of it", () =>
  inTwilioCall(
    () => PAUSE,
    async ({ asked }) => {
      expect(asked).toMatchObject({ method: 'POST', url: expect.stringMatching(/\/answer\?line=1$/) });
      expect(isValid(asked)).toBe(true);
      expect(isValid(asked, { url: asked.url.replace('line=1', 'line=2') })).toBe(false);
      expect(isValid(asked, { more: { From: '+12025550143' } })).toBe(false);
      expect(isValid(asked, { more: { Extra: '' } })).toBe(false);
      expect(isValid(asked, { token: `${AUTH_TOKEN}0` })).toBe(false);
    },
  ));

test('a webhook by GET is signed with its query', () =>
  inTwilioCall(
    () => PAUSE,
    async ({ application, sandbox, callSid }) => {
      application.document('/next', PAUSE);
      await vendorAt(sandbox.url)
        .calls(callSid)
        .update({ url: application.url('/next?a=%20b'), method: 'GET' });
      const asked = await application.requested('/next');
      expect(asked).toMatchObject({ method: 'GET', url: expect.stringContaining(`&CallSid=${callSid}`) });
      expect(isValid(asked)).toBe(true);
      expect(isValid(asked, { url: asked.url.replace(callSid, `CA${'0'.repeat(32)}`) })).toBe(false);
      // What has no hash of a body is no request with a body of its own.
      expect(validateRequestWithBody(AUTH_TOKEN, signatureOf(asked), asked.url, '{}')).toBe(false);
    },
  ));

test('the upgrade of a media stream is signed with its address', () =>
  inTwilioCall(connectTo, async (call) => {
    await streamOf(call);
    const { headers } = await call.application.upgrades.next();
    const url = `ws://${call.application.host}/ws`;
    expect(validateRequest(AUTH_TOKEN, signatureOf({ headers }), url, {})).toBe(true);
    expect(validateRequest(AUTH_TOKEN, signatureOf({ headers }), `${url}x`, {})).toBe(false);
    expect(validateRequest(`${AUTH_TOKEN}0`, signatureOf({ headers }), url, {})).toBe(false);
  }));
