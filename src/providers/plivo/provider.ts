import type { ProviderCallId } from '../../call/call-id.js';
import type { Carrier } from '../carrier.js';
import { answerXml } from './document.js';
import { isPlivoIdentifier } from './identifier.js';
import { DEFAULT_FORMAT } from './media-format.js';
import { nonceOf, SIGNATURE_HEADER, trialWebhook, verifyUpgradeV3, verifyV3 } from './signature.js';
import { isPlivoParameter, parsePlivoWebhook } from './webhooks.js';
import { PlivoCodec } from './wire.js';

/** Plivo, and the carriers that speak its wire. */
export const plivo: Carrier = {
  name: 'plivo',
  defaultApiUrl: 'https://api.plivo.com/v1',
  capabilities: {
    allowsStreamQuery: true,
    transfersCalls: true,
    audio: { telephone: DEFAULT_FORMAT, wideband: { encoding: 'L16', sampleRate: 16_000 } },
    pressesKeys: true,
    signsStreams: true,
    confirmsClear: true,
  },
  variables: { authId: 'PLIVO_AUTH_ID', authToken: 'PLIVO_AUTH_TOKEN', phoneNumber: 'PLIVO_PHONE_NUMBER' },
  looksLikeOurs: ({ authId = '' }) => /^(MA|SA)[A-Z0-9]{18}$/.test(authId),
  signatureHeader: SIGNATURE_HEADER,
  callIdParameter: 'CallUUID',
  createCodec: (streamId, format) => new PlivoCodec(streamId, format),
  answerDocument: answerXml,
  verifyWebhook: (request, { authToken }) => verifyV3(request, authToken),
  webhookNonce: nonceOf,
  trialWebhook,
  verifyUpgrade: (request, { authToken }) => verifyUpgradeV3(request, authToken),
  parseWebhook: ({ parameters }) => parsePlivoWebhook(parameters),
  isWebhookParameter: isPlivoParameter,
  isCallId: (id): id is ProviderCallId => isPlivoIdentifier(id),
  async createRestClient(credentials, options) {
    // Loaded here so that processes which never make a request do not carry its HTTP client.
    const { createPlivoRestClient } = await import('./rest.js');
    return createPlivoRestClient(credentials, options);
  },
  async createNumberRouting(credentials) {
    const { createPlivoNumberRouting } = await import('./numbers.js');
    return createPlivoNumberRouting(credentials);
  },
};
