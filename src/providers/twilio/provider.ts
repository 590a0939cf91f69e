import type { ProviderCallId } from '../../call/call-id.js';
import type { Carrier } from '../carrier.js';
import { twiml } from './document.js';
import { accountSidProblem, isSid } from './identifier.js';
import { regionalUrl } from './region.js';
import { SIGNATURE_HEADER, trialWebhook, verifyTwilio, verifyTwilioUpgrade } from './signature.js';
import { isTwilioParameter, parseTwilioWebhook } from './webhooks.js';
import { STREAM_FORMAT, TwilioCodec } from './wire.js';

/** Twilio: TwiML, and Media Streams in both directions. */
export const twilio: Carrier = {
  name: 'twilio',
  defaultApiUrl: 'https://api.twilio.com/2010-04-01',
  capabilities: {
    allowsStreamQuery: false,
    transfersCalls: true,
    audio: { telephone: STREAM_FORMAT },
    pressesKeys: false,
    signsStreams: true,
    confirmsClear: false,
  },
  variables: {
    authId: 'TWILIO_ACCOUNT_SID',
    authToken: 'TWILIO_AUTH_TOKEN',
    phoneNumber: 'TWILIO_PHONE_NUMBER',
    apiKey: { id: 'TWILIO_API_KEY', secret: 'TWILIO_API_SECRET' },
  },
  regions: { region: 'TWILIO_REGION', edge: 'TWILIO_EDGE', apiUrl: regionalUrl },
  looksLikeOurs: ({ authId = '' }) => isSid(authId, 'AC') || isSid(authId, 'SK'),
  authIdProblem: accountSidProblem,
  signatureHeader: SIGNATURE_HEADER,
  callIdParameter: 'CallSid',
  createCodec: (streamId, format) => new TwilioCodec(streamId, format),
  answerDocument: twiml,
  verifyWebhook: (request, { authToken }) => verifyTwilio(request, authToken),
  trialWebhook,
  verifyUpgrade: (request, { authToken }) => verifyTwilioUpgrade(request, authToken),
  parseWebhook: ({ parameters }) => parseTwilioWebhook(parameters),
  isWebhookParameter: isTwilioParameter,
  isCallId: (id): id is ProviderCallId => isSid(id, 'CA'),
  async createRestClient(credentials, options) {
    // Loaded here so that processes which never make a request do not carry its HTTP client.
    const { createTwilioRestClient } = await import('./rest.js');
    return createTwilioRestClient(credentials, options);
  },
  async createNumberRouting(credentials) {
    const { createTwilioNumberRouting } = await import('./numbers.js');
    return createTwilioNumberRouting(credentials);
  },
};
