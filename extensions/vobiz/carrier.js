import { randomUUID } from 'node:crypto';
import { ProviderRequestError, plivo } from 'voicebot/provider';
import { nonceOf, SIGNATURE_HEADER, signatureHeaders, verifyV3 } from './signature.js';

/**
 * Vobiz, which speaks Plivo's wire with other addresses, headers and numbers. The README says what is known of it, and how sure that is.
 * @type {import('voicebot/provider').Carrier}
 */
export const vobiz = {
  ...plivo,
  name: 'vobiz',
  defaultApiUrl: 'https://api.vobiz.ai/api/v1',
  // Fact 8: no message presses keys. Fact 9: nothing says that upgrades are signed.
  capabilities: { ...plivo.capabilities, pressesKeys: false, signsStreams: false },
  variables: { authId: 'VOBIZ_AUTH_ID', authToken: 'VOBIZ_AUTH_TOKEN', phoneNumber: 'VOBIZ_PHONE_NUMBER' },
  looksLikeOurs: ({ authId = '' }) => /^(MA|SA)_[A-Za-z0-9]+$/.test(authId),
  signatureHeader: SIGNATURE_HEADER,
  createCodec: (streamId, format) =>
    Object.assign(plivo.createCodec(streamId, format), { encodeDtmf: () => undefined }),
  verifyWebhook: (request, { authToken }) => verifyV3(request, authToken),
  webhookNonce: nonceOf,
  trialWebhook(url, { authToken }) {
    const body = Buffer.from(new URLSearchParams({ CallUUID: randomUUID() }).toString());
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...signatureHeaders(url, authToken) },
      body,
    };
  },
  verifyUpgrade: () => true,
  async createRestClient(credentials, options) {
    const client = await plivo.createRestClient(credentials, { ...options, signIn: signInOf(credentials) });
    return {
      placeCall: (...asked) => client.placeCall(...asked).catch(inVobizWords),
      findCalls: (...asked) => client.findCalls(...asked).catch(inVobizWords),
      transfer: (...asked) => client.transfer(...asked).catch(inVobizWords),
      hangUp: (...asked) => client.hangUp(...asked).catch(inVobizWords),
      close: () => client.close(),
    };
  },
  async createNumberRouting(credentials) {
    const { createVobizNumberRouting } = await import('./numbers.js');
    return createVobizNumberRouting(credentials);
  },
};

/**
 * Fact 2.
 * @param {import('voicebot/provider').CarrierCredentials} credentials
 */
export const signInOf = ({ authId, authToken }) => ({ 'x-auth-id': authId, 'x-auth-token': authToken });

/**
 * The hints of Plivo's client name Plivo's console.
 * @param {unknown} error
 * @returns {never}
 */
function inVobizWords(error) {
  if (!(error instanceof ProviderRequestError) || !error.hint?.includes('console.plivo.com')) throw error;
  const { code, status, text, mayBeDone, retryAfterMs, message } = error;
  const detail = message.slice(message.indexOf(': ') + 2);
  const hint = error.hint.replaceAll('console.plivo.com', 'console.vobiz.ai');
  throw new ProviderRequestError(code, detail, { status, text, mayBeDone, retryAfterMs, hint, cause: error });
}
