import type { Carrier } from '../contract.js';
import { answerXml } from './answer-xml.js';
import { PlivoCodec } from './codec.js';
import { isPlivoIdentifier } from './identifier.js';
import { createPlivoNumberRouting } from './number-routing.js';
import { createPlivoRestClient } from './rest-client.js';
import { nonceOf, signatureHeaders, verifyUpgradeV3, verifyV3 } from './signature.js';
import { isPlivoParameter, parsePlivoWebhook } from './webhook.js';

/** Plivo, and the carriers that speak its wire. */
export const plivo: Carrier = {
  name: 'plivo',
  defaultApiUrl: 'https://api.plivo.com/v1',
  capabilities: {
    allowsStreamQuery: true,
    transfersCalls: true,
  },
  createCodec: (streamId, format) => new PlivoCodec(streamId, format),
  answerDocument: answerXml,
  verifyWebhook: (request, { authToken }) => verifyV3(request, authToken),
  webhookNonce: nonceOf,
  signWebhook: (request, { authToken }) => signatureHeaders(request, authToken),
  verifyUpgrade: (request, { authToken }) => verifyUpgradeV3(request, authToken),
  parseWebhook: ({ parameters }) => parsePlivoWebhook(parameters),
  isWebhookParameter: isPlivoParameter,
  isCallId: isPlivoIdentifier,
  createRestClient: createPlivoRestClient,
  createNumberRouting: createPlivoNumberRouting,
};
