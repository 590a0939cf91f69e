import { errorText } from '../../base/error-text.js';
import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES, type HangupCause } from '../network/hangup-causes.js';
import { type WebhookTarget, withoutQuery } from '../network/webhook-target.js';
import type { SandboxDocument } from './call-document.js';
import type { CallServices } from './call-services.js';
import type { DocumentHop, WebhookParameters } from './face.js';
import type { WebhookAnswer } from './webhooks.js';

/** Where a call's next document comes from, and why it is asked for. */
export interface DocumentRequest {
  readonly hop: DocumentHop;
  /** Undefined when the application has no address. */
  readonly target: WebhookTarget | undefined;
  /** Asked instead when the target gives no usable HTTP answer (carrier reference 2.3). */
  readonly fallback?: WebhookTarget | undefined;
  /** Sent besides the call's own parameters. */
  readonly parameters?: WebhookParameters;
}

/** How the call ends when the document cannot be had. */
const HOPS: Readonly<Record<DocumentHop, { unreachable: HangupCause; invalid: HangupCause }>> = {
  answer: {
    unreachable: HANGUP_CAUSES.answerUnreachable,
    invalid: HANGUP_CAUSES.answerInvalid,
  },
  redirect: {
    unreachable: HANGUP_CAUSES.redirectUnreachable,
    invalid: HANGUP_CAUSES.redirectInvalid,
  },
  transfer: {
    unreachable: HANGUP_CAUSES.transferUnreachable,
    invalid: HANGUP_CAUSES.transferInvalid,
  },
  action: {
    unreachable: HANGUP_CAUSES.actionUnreachable,
    invalid: HANGUP_CAUSES.actionInvalid,
  },
};

/** Fetches and reads a document; when that fails the call is ended and the result undefined. */
export async function fetchDocument(
  call: PhoneCall,
  services: CallServices,
  { hop, target, fallback, parameters }: DocumentRequest,
): Promise<SandboxDocument | undefined> {
  const { unreachable, invalid } = HOPS[hop];
  const { face } = services;
  const url = target && withoutQuery(target.url);
  const fail = async (
    cause: HangupCause,
    text: string,
    answer?: WebhookAnswer,
  ): Promise<SandboxDocument | undefined> => {
    call.progress({
      hop,
      ok: false,
      text,
      ...(url && { url }),
      ...(answer && { status: answer.status, ms: answer.ms }),
    });
    if (cause === unreachable && fallback && !call.isOver) {
      return fetchDocument(call, services, { hop, target: fallback, ...(parameters && { parameters }) });
    }
    call.finish(cause, 'Error');
    return undefined;
  };
  if (!target || !url) return fail(unreachable, 'the application has no answer URL');
  let answer: WebhookAnswer;
  try {
    const sent = { ...face.words.document(call, hop), ...parameters };
    answer = await services.webhooks.send(target, sent, call.signal);
  } catch (error) {
    return fail(unreachable, `${hop} URL ${url}: ${errorText(error)}`);
  }
  const { status, contentType, body, ms } = answer;
  if (status !== 200) {
    const hint = status === 403 ? ' (is the signature checked with the same auth token?)' : '';
    return fail(unreachable, `${hop} URL answered ${status} to ${target.method} ${url}${hint}`, answer);
  }
  try {
    const document = face.readDocument(body.toString());
    call.progress({ hop, ok: true, text: `${hop} document: ${status} in ${ms} ms`, url, status, ms });
    if (contentType !== 'application/xml' && contentType !== 'text/xml') {
      const text = `the document has ${contentType ? `the content type ${contentType}` : 'no content type'}; the carrier requires application/xml`;
      call.progress({ hop: 'document', ok: false, text });
    }
    for (const warning of document.warnings) call.progress({ hop: 'document', ok: false, text: warning });
    return document;
  } catch (error) {
    return fail(invalid, `${hop} URL ${url}: ${errorText(error)}`, answer);
  }
}
