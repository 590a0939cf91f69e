import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { VoicebotError } from '../../base/errors.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { makeSigningKeys, signatureHeaders } from '../../providers/telnyx/signature.js';
import type { CarrierFace, FaceOptions, InboundTargets, WebhookWords } from '../carrier/face.js';
import type { PhoneCall } from '../network/call.js';
import type { WebhookTarget } from '../network/webhook-target.js';
import { type StoredApplication, TelnyxAccount } from './account.js';
import {
  type CallOwner,
  dialParameters,
  documentParameters,
  machineParameters,
  progressParameters,
  streamParameters,
} from './call-parameters.js';
import { readTexml } from './document.js';
import { restApi } from './rest-api.js';
import { telnyxStream } from './stream-wire.js';

/** How much audio waits to be played: the carrier names no limit but that of one message. */
const MAX_QUEUED_S = 600;
/** An application cannot be without an address: nothing answers at this one, the port is reserved (RFC 863). */
const NOBODY_URL = 'http://127.0.0.1:9/not-set';
/** Bytes behind the version in the identifier of a call. */
const CALL_ID_BYTES = 40;

/** @throws VoicebotError VB_CONFIG_INVALID for a private key that is not of Ed25519 */
export function telnyxFace({ authToken, privateKey, answerUrl, hangupUrl }: FaceOptions): CarrierFace {
  const account = new TelnyxAccount({
    friendly_name: 'sandbox',
    voice_url: answerUrl || NOBODY_URL,
    status_callback: hangupUrl || null,
  });
  const key = privateKey === undefined ? makeSigningKeys().privateKey : readKey(privateKey);
  const ownerOf = ({ setup: { direction, from, to } }: PhoneCall): CallOwner => {
    const ours = account.number(normalisePhoneNumber(direction === 'inbound' ? to : from));
    return { accountId: account.id, connectionId: ours?.connection_id ?? '' };
  };
  const words: WebhookWords = {
    document: (call) => documentParameters(call, ownerOf(call)),
    ringing: (call) => progressParameters(call, ownerOf(call)),
    answered: (call) => progressParameters(call, ownerOf(call)),
    over: (call) => progressParameters(call, ownerOf(call)),
    machine: (call, isMachine) => machineParameters(call, ownerOf(call), isMachine),
    dialEnded: (_call, outcome) => dialParameters(outcome),
    leg(call, leg, { events = [] }, action) {
      const isWanted = events.includes(action === 'hangup' ? 'completed' : 'answered');
      return isWanted && action !== 'connected' ? progressParameters(leg, ownerOf(call), call) : undefined;
    },
    stream: (call, event, verb, streamId) => streamParameters(call, ownerOf(call), event, verb, streamId),
  };
  return {
    apiPath: '/v2',
    applicationId: account.firstApplicationId,
    answersFirst: true,
    newCallId: () => `v3:${randomBytes(CALL_ID_BYTES).toString('base64url')}`,
    readDocument: readTexml,
    words,
    signatureOf: ({ body }) => signatureHeaders(Buffer.from(body), key, Date.now()),
    stream: {
      maxQueuedS: MAX_QUEUED_S,
      returnsMarks: true,
      upgradeHeaders: () => ({}),
      open: (setup) => telnyxStream(setup, account.id),
    },
    targetsOf: (number) => targetsOf(account.applicationOf(number)),
    restApi: (carrier, faults) => restApi(carrier, { apiKey: authToken, account, faults }),
  };
}

/** A number that is attached to no application is not in service. */
function targetsOf(application: StoredApplication | undefined): InboundTargets | undefined {
  if (!application) return undefined;
  const target = (url: unknown, method: unknown): WebhookTarget | undefined =>
    typeof url === 'string' && url !== '' ? { url, method: method === 'get' ? 'GET' : 'POST' } : undefined;
  const answer = target(application.voice_url, application.voice_method);
  const fallback = target(application.voice_fallback_url, application.voice_method);
  const hangup = target(application.status_callback, application.status_callback_method);
  return { ...(answer && { answer }), ...(fallback && { fallback }), ...(hangup && { hangup }) };
}

function readKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Told below, without the key.
  }
  throw new VoicebotError('VB_CONFIG_INVALID', 'the private key of the sandbox must be an Ed25519 key in PEM');
}
