import type { ProviderCallId } from '../../call/call-id.js';
import type { Carrier } from '../carrier.js';
import { answerTexml } from './document.js';
import { isTelnyxIdentifier } from './identifier.js';
import { DEFAULT_FORMAT, WIDEBAND_FORMAT } from './media-format.js';
import { nonceOf, SIGNATURE_HEADER, verifySignature } from './signature.js';
import { isTelnyxParameter, parseTelnyxWebhook } from './webhooks.js';
import { TelnyxCodec } from './wire.js';

/** Telnyx, by TeXML and its media streams. */
export const telnyx: Carrier = {
  name: 'telnyx',
  defaultApiUrl: 'https://api.telnyx.com/v2',
  capabilities: {
    allowsStreamQuery: true,
    transfersCalls: true,
    audio: { telephone: DEFAULT_FORMAT, wideband: WIDEBAND_FORMAT },
    pressesKeys: false,
    signsStreams: false,
    confirmsClear: false,
  },
  variables: { authToken: 'TELNYX_API_KEY', phoneNumber: 'TELNYX_PHONE_NUMBER', publicKey: 'TELNYX_PUBLIC_KEY' },
  looksLikeOurs: ({ authToken = '' }) => /^KEY[0-9A-F]{32}_/i.test(authToken),
  signatureHeader: SIGNATURE_HEADER,
  callIdParameter: 'CallSid',
  createCodec: (_streamId, format) => new TelnyxCodec(format),
  answerDocument: answerTexml,
  verifyWebhook: (request, credentials) => verifySignature(request, credentials),
  webhookNonce: nonceOf,
  verifyUpgrade: () => true,
  parseWebhook: parseTelnyxWebhook,
  isWebhookParameter: isTelnyxParameter,
  isCallId: (id): id is ProviderCallId => isTelnyxIdentifier(id),
  async createRestClient(credentials, options) {
    // Loaded here so that processes which never make a request do not carry its HTTP client.
    const { createTelnyxRestClient } = await import('./rest.js');
    return createTelnyxRestClient(credentials, options);
  },
  async createNumberRouting(credentials) {
    const { createTelnyxNumberRouting } = await import('./numbers.js');
    return createTelnyxNumberRouting(credentials);
  },
};
