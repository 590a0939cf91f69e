import { randomUUID } from 'node:crypto';
import { VoicebotError } from '../../base/errors.js';
import { isPlivoIdentifier } from '../../providers/plivo/identifier.js';
import { signatureHeaders, upgradeSignatureHeaders } from '../../providers/plivo/signature.js';
import type { CarrierFace, DocumentHop, FaceOptions, InboundTargets, WebhookWords } from '../carrier/face.js';
import type { HttpMethod, WebhookTarget } from '../network/webhook-target.js';
import { PlivoAccount } from './account.js';
import {
  type CallEventName,
  callParameters,
  dialParameters,
  legParameters,
  streamParameters,
} from './call-parameters.js';
import { readCallDocument } from './document.js';
import { restApi } from './rest-api.js';
import { plivoStream } from './stream-wire.js';

const SUBPROTOCOL = 'audio.plivo.com';
/** How much audio waits to be played (carrier reference 5.5). */
const MAX_QUEUED_S = 40;
/** `Event` of the request for a document (carrier reference 2.1). */
const DOCUMENT_EVENTS: Readonly<Record<DocumentHop, CallEventName | undefined>> = {
  answer: 'StartApp',
  redirect: 'Redirect',
  transfer: undefined,
  action: undefined,
};
const STREAM_EVENTS = { started: 'StartStream', stopped: 'StopStream', dropped: 'DroppedStream' } as const;

/** Plivo as the sandbox plays it, and what its account holds: for carriers that speak its wire. */
export interface PlivoFace extends CarrierFace {
  /** Its applications, and the numbers that are attached to them. */
  readonly account: PlivoAccount;
}

/** @throws VoicebotError VB_IDENTIFIER_INVALID for an `authId` unfit for a URL path */
export function plivoFace({ authId, authToken, answerUrl, hangupUrl }: FaceOptions): PlivoFace {
  if (!isPlivoIdentifier(authId)) throw new VoicebotError('VB_IDENTIFIER_INVALID', 'the auth id of the sandbox');
  const account = new PlivoAccount({ app_name: 'sandbox', answer_url: answerUrl, hangup_url: hangupUrl });
  const words: WebhookWords = {
    document: (call, hop) => callParameters(call, DOCUMENT_EVENTS[hop], authId),
    ringing: (call) => callParameters(call, 'Ring', authId),
    answered: (call) => callParameters(call, undefined, authId),
    over: (call) => callParameters(call, 'Hangup', authId),
    machine: (call, isMachine) => ({ ...callParameters(call, 'MachineDetection', authId), Machine: String(isMachine) }),
    dialEnded: dialParameters,
    leg: (call, leg, { position }, action) => legParameters(call, leg, position, action, authId),
    stream: (call, event, verb, streamId) => streamParameters(call, STREAM_EVENTS[event], verb, streamId),
  };
  return {
    account,
    apiPath: '/v1',
    applicationId: account.firstApplication.id,
    newCallId: randomUUID,
    readDocument: readCallDocument,
    words,
    signatureOf: (request) => signatureHeaders(request, authToken),
    stream: {
      subprotocol: SUBPROTOCOL,
      maxQueuedS: MAX_QUEUED_S,
      returnsMarks: false,
      upgradeHeaders: (url) => upgradeSignatureHeaders(url, authToken),
      open: plivoStream,
    },
    targetsOf: (number) => targetsOf(account, number),
    restApi: (carrier, faults) => restApi(carrier, { authId, authToken, account, faults }),
  };
}

/** A number that is attached to no application is not in service. */
function targetsOf(account: PlivoAccount, number: string): InboundTargets | undefined {
  const settings = account.applicationOf(number)?.settings;
  if (!settings) return undefined;
  const target = (url: string, method: HttpMethod): WebhookTarget | undefined => (url ? { url, method } : undefined);
  const answer = target(settings.answer_url, settings.answer_method);
  const fallback = target(settings.fallback_answer_url, settings.fallback_method);
  const hangup = target(settings.hangup_url, settings.hangup_method) ?? answer;
  return { ...(answer && { answer }), ...(fallback && { fallback }), ...(hangup && { hangup }) };
}
