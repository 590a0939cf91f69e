import type { Call } from './call.js';
import { type CallEvent, callParameters } from './call-parameters.js';
import type { CallServices } from './call-services.js';
import { type CallDocument, readCallDocument, type Verb } from './document.js';
import { HANGUP_CAUSES, type HangupCause } from './hangup-causes.js';
import type { Callee, RingOutcome } from './phone.js';
import { performVerb } from './verbs.js';
import type { WebhookAnswer, WebhookTarget } from './webhooks.js';

/** A call that follows this many documents is going round in circles (reference section 1.3, transfer). */
const MAX_DOCUMENTS = 70;

const RING_ENDS: Readonly<Record<Exclude<RingOutcome, 'answered'> | 'timeout', HangupCause>> = {
  busy: HANGUP_CAUSES.busy,
  declined: HANGUP_CAUSES.declined,
  no_answer: HANGUP_CAUSES.noAnswer,
  timeout: HANGUP_CAUSES.ringTimeout,
};

/** A phone has dialled the application's number. Returns when the call is over. */
export async function runInboundCall(call: Call, services: CallServices): Promise<void> {
  call.phone.notify({ type: 'ringing' });
  const document = await fetchDocument(call, services, 'answer', call.setup.answer);
  if (!document) return;
  const [first] = document.verbs;
  const isRefused = first?.verb === 'hangup' && first.reason !== undefined && first.afterMs === 0;
  if (!isRefused) call.answer();
  await followDocuments(call, services, document);
}

/** The application has dialled a phone. Returns when the call is over. */
export async function runOutboundCall(call: Call, callee: Callee, services: CallServices): Promise<void> {
  call.phone.notify({ type: 'ringing' });
  if (call.setup.ring) services.inform(call, call.setup.ring, callParameters(call, 'Ring', services.authId));
  const timeout = call.wait(call.setup.ringTimeoutMs).then(() => 'timeout' as const);
  const outcome = await Promise.race([callee.ring(call), timeout]);
  if (outcome !== 'answered') return call.finish(RING_ENDS[outcome], outcome === 'timeout' ? 'Carrier' : 'Callee');
  call.answer();
  const document = await fetchDocument(call, services, 'answer', call.setup.answer);
  if (document) await followDocuments(call, services, document);
}

async function followDocuments(call: Call, services: CallServices, first: CallDocument): Promise<void> {
  let document = first;
  for (let count = 1; count < MAX_DOCUMENTS; count += 1) {
    const target = await performDocument(call, services, document.verbs);
    if (call.isOver) return;
    if (!target) {
      call.progress({ hop: 'hangup', ok: true, text: 'the document has ended, hanging up' });
      return call.finish(HANGUP_CAUSES.endOfXml, 'Plivo');
    }
    const next = await fetchDocument(call, services, 'redirect', target);
    if (!next) return;
    document = next;
  }
  call.progress({
    hop: 'redirect',
    ok: false,
    text: `${MAX_DOCUMENTS} documents redirected to another one, giving up`,
  });
  call.finish(HANGUP_CAUSES.loopDetected, 'Error');
}

/** Performs verbs until the call is over, the document ends, or it redirects to the returned address. */
async function performDocument(
  call: Call,
  services: CallServices,
  verbs: readonly Verb[],
): Promise<WebhookTarget | undefined> {
  for (const verb of verbs) {
    if (call.isOver) return undefined;
    if (verb.verb === 'redirect') return verb;
    await performVerb(verb, call, services);
  }
  return undefined;
}

/** Fetches and reads a document; when that fails the call is ended and the result undefined. */
async function fetchDocument(
  call: Call,
  services: CallServices,
  hop: 'answer' | 'redirect',
  target: WebhookTarget | undefined,
): Promise<CallDocument | undefined> {
  const [event, unreachable, invalid]: [CallEvent, HangupCause, HangupCause] =
    hop === 'answer'
      ? ['StartApp', HANGUP_CAUSES.answerUnreachable, HANGUP_CAUSES.answerInvalid]
      : ['Redirect', HANGUP_CAUSES.redirectUnreachable, HANGUP_CAUSES.redirectInvalid];
  const fail = (cause: HangupCause, text: string, answer?: WebhookAnswer): undefined => {
    call.progress({
      hop,
      ok: false,
      text,
      ...(target && { url: target.url }),
      ...(answer && { status: answer.status, ms: answer.ms }),
    });
    call.finish(cause, 'Error');
  };
  if (!target) return fail(unreachable, 'the application has no answer URL');
  let answer: WebhookAnswer;
  try {
    answer = await services.webhooks.send(target, callParameters(call, event, services.authId), call.signal);
  } catch (error) {
    return fail(unreachable, `${hop} URL ${target.url}: ${messageOf(error)}`);
  }
  const { status, contentType, body, ms } = answer;
  if (status !== 200) {
    const hint = status === 403 ? ' (is the signature checked with the same auth token?)' : '';
    return fail(unreachable, `${hop} URL answered ${status} to ${target.method} ${target.url}${hint}`, answer);
  }
  try {
    const document = readCallDocument(body.toString());
    call.progress({ hop, ok: true, text: `${hop} document: ${status} in ${ms} ms`, url: target.url, status, ms });
    if (contentType !== 'application/xml' && contentType !== 'text/xml') {
      const text = `the document came as ${contentType || 'no content type'}, the carrier asks for application/xml`;
      call.progress({ hop: 'document', ok: false, text });
    }
    for (const warning of document.warnings) call.progress({ hop: 'document', ok: false, text: warning });
    return document;
  } catch (error) {
    return fail(invalid, `${hop} URL ${target.url}: ${messageOf(error)}`, answer);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
