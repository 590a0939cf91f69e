import { requireSid } from '../../providers/twilio/identifier.js';
import { signatureHeaders } from '../../providers/twilio/signature.js';
import type { CarrierFace, FaceOptions, InboundTargets, WebhookWords } from '../carrier/face.js';
import { newSid, TwilioAccount, targetOf } from './account.js';
import {
  API_VERSION,
  dialParameters,
  documentParameters,
  machineParameters,
  progressParameters,
  streamParameters,
} from './call-parameters.js';
import { readTwiml } from './document.js';
import { restApi } from './rest-api.js';
import { twilioStream } from './stream-wire.js';

/** How much audio waits to be played (carrier reference 7.1). */
const MAX_QUEUED_S = 600;

/** @throws VoicebotError VB_IDENTIFIER_INVALID for an `authId` that is not an account SID */
export function twilioFace({ authId, authToken, answerUrl, hangupUrl }: FaceOptions): CarrierFace {
  requireSid(authId, 'AC', 'account SID of the sandbox');
  const account = new TwilioAccount({ VoiceUrl: answerUrl, StatusCallback: hangupUrl });
  const words: WebhookWords = {
    document: (call) => documentParameters(call, authId),
    ringing: (call) => progressParameters(call, authId),
    answered: (call) => progressParameters(call, authId),
    over: (call) => progressParameters(call, authId),
    machine: (call, isMachine) => machineParameters(call, authId, isMachine),
    dialEnded: (_call, outcome) => dialParameters(outcome),
    leg(call, leg, { events = [] }, action) {
      const isWanted = events.includes(action === 'hangup' ? 'completed' : 'answered');
      return isWanted && action !== 'connected' ? progressParameters(leg, authId, call) : undefined;
    },
    stream: (call, event, verb, streamSid) => streamParameters(call, authId, event, verb, streamSid),
  };
  return {
    apiPath: `/${API_VERSION}`,
    newCallId: () => newSid('CA'),
    readDocument: readTwiml,
    words,
    signatureOf: ({ url, form }) => signatureHeaders(url, form, authToken),
    stream: {
      maxQueuedS: MAX_QUEUED_S,
      returnsMarks: true,
      upgradeHeaders: (url) => signatureHeaders(url, [], authToken),
      open: (setup) => twilioStream(setup, authId),
    },
    targetsOf: (number) => targetsOf(account, number),
    restApi: (carrier, faults) => restApi(carrier, { authId, authToken, account, faults }),
  };
}

/** A number without an address for calls is not in service. */
function targetsOf(account: TwilioAccount, number: string): InboundTargets | undefined {
  const settings = account.settingsOf(number);
  const answer = settings && targetOf(settings, 'VoiceUrl');
  if (!answer) return undefined;
  const fallback = targetOf(settings, 'VoiceFallbackUrl');
  const hangup = targetOf(settings, 'StatusCallback');
  return { answer, ...(fallback && { fallback }), ...(hangup && { hangup }) };
}
