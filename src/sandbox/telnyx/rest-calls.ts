import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { durationSeconds } from '../carrier/call-statuses.js';
import type { AccountCalls, OutgoingCall } from '../carrier/face.js';
import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { webhookUrl } from '../network/loopback.js';
import type { WebhookTarget } from '../network/webhook-target.js';
import { outboundProfileOf, type StoredApplication, type TelnyxAccount } from './account.js';
import { callStatus } from './call-parameters.js';
import { fail, notFound, parse, send } from './rest-answer.js';

/** How long machine detection listens after the answer, in milliseconds. */
const MACHINE_DETECTION_MS = 2_000;
const CALL_ENDED = '90018';
const EVENTS = ['initiated', 'ringing', 'answered', 'completed'];

const method = z.enum(['GET', 'POST']).optional();
/** Clients send switches as booleans or, in a form, as words. */
const flag = z.preprocess((value) => String(value) === 'true', z.boolean());

/** Fields of a call to be placed that change something here; the others are tolerated. */
const CallRequestFields = z.object({
  ApplicationSid: z.string(),
  From: z.string().min(1),
  To: z.string().regex(/^\+\d{3,15}$/, 'one telephone number with its +'),
  Url: webhookUrl.optional(),
  UrlMethod: method,
  FallbackUrl: webhookUrl.optional(),
  StatusCallback: webhookUrl.optional(),
  StatusCallbackMethod: method,
  StatusCallbackEvent: z
    .string()
    .default('completed')
    .transform((events) => events.split(' '))
    .refine((events) => events.every((event) => EVENTS.includes(event)), `one or more of ${EVENTS.join(' ')}`),
  Timeout: z.coerce.number().int().min(5).max(120).default(30),
  TimeLimit: z.coerce.number().int().min(30).max(14_400).default(14_400),
  MachineDetection: z.enum(['Enable', 'Disable', 'DetectMessageEnd']).default('Disable'),
  AsyncAmd: flag,
  AsyncAmdStatusCallback: webhookUrl.optional(),
  AsyncAmdStatusCallbackMethod: method,
  Texml: z.never('the sandbox takes addresses of documents only').optional(),
});

const CallQuery = z.object({
  From: z.string().optional(),
  To: z.string().optional(),
  Status: z.string().optional(),
  Page: z.coerce.number().int().min(0).default(0),
  PageSize: z.coerce.number().int().min(1).max(1_000).default(20),
});

const CallChange = z.object({
  Status: z.enum(['completed', 'canceled']).optional(),
  Url: webhookUrl.optional(),
  Method: method,
  Texml: z.never('the sandbox takes addresses of documents only').optional(),
});

/** Placing, reading, transferring and ending calls, by TeXML. @see carrier reference 7.2 */
export function restCalls(carrier: AccountCalls, account: TelnyxAccount): Router {
  const api = Router({ caseSensitive: true });
  const calls = '/texml/Accounts/:account/Calls';

  api.use('/texml/Accounts/:account', (request, response, next) => {
    if (request.params.account === account.id) next();
    else notFound(response);
  });

  api.post(calls, (request, response) => {
    const fields = parse(CallRequestFields, request.body, response);
    if (!fields) return;
    const application = account.application(fields.ApplicationSid);
    const problem = problemOf(fields.From, application, account);
    if (!application || problem) return fail(response, 422, problem ?? '');
    const answer = fields.Url ?? application.voice_url;
    if (typeof answer !== 'string') return fail(response, 422, "The 'Url' parameter is missing.");
    const call = carrier.dialOut(outgoingCall(fields, { url: answer, method: fields.UrlMethod ?? 'POST' }));
    const { from, to } = call.setup;
    send(response, 200, { account_sid: account.id, call_sid: call.id, from, to, status: 'queued' });
  });

  api.get(calls, (request, response) => {
    const query = parse(CallQuery, request.query, response);
    if (!query) return;
    const { From: from, To: to, Status: status } = query;
    const found = [...[...carrier.calls].reverse(), ...carrier.ended].filter(
      (call) =>
        (from === undefined || call.setup.from === from) &&
        (to === undefined || call.setup.to === to) &&
        (status === undefined || callStatus(call) === status),
    );
    const page = found.map((call) => callResource(call, account.id));
    send(response, 200, pageOf(request, page, query));
  });

  api.get(`${calls}/:id`, ({ params: { id } }, response) => {
    const call = carrier.find(id) ?? carrier.findEnded(id);
    if (call) send(response, 200, callResource(call, account.id));
    else notFound(response);
  });

  api.post(`${calls}/:id`, (request, response) => {
    const { id } = request.params;
    const call = carrier.find(id);
    if (!call) return carrier.findEnded(id) ? ended(response) : notFound(response);
    const change = parse(CallChange, request.body, response);
    if (!change) return;
    if (change.Status) call.finish(HANGUP_CAUSES.cancelled, 'API Request');
    else if (!change.Url) return fail(response, 422, "One of the parameters 'Url' and 'Status' is needed.");
    else if (!call.answeredAt) return fail(response, 422, 'The call has not been answered yet.', '90034');
    else call.transfer({ url: change.Url, method: change.Method ?? 'POST' });
    send(response, 200, callResource(call, account.id));
  });

  return api;
}

const ended = (response: Response): void =>
  fail(response, 422, 'This call is no longer active and cannot receive commands.', CALL_ENDED);

function problemOf(
  from: string,
  application: StoredApplication | undefined,
  account: TelnyxAccount,
): string | undefined {
  if (!application) return "The 'ApplicationSid' parameter is invalid: there is no such TeXML application.";
  if (!outboundProfileOf(application)) return 'The application has no outbound voice profile assigned.';
  if (account.number(normalisePhoneNumber(from))) return undefined;
  return `The 'From' number ${from} is invalid: it is not a number of this account, nor verified.`;
}

function outgoingCall(fields: z.infer<typeof CallRequestFields>, answer: WebhookTarget): OutgoingCall {
  const target = (url: string, given: 'GET' | 'POST' | undefined): WebhookTarget => ({ url, method: given ?? 'POST' });
  const { StatusCallback: statusUrl, AsyncAmdStatusCallback: machineUrl } = fields;
  const told = (event: string) =>
    statusUrl !== undefined && fields.StatusCallbackEvent.includes(event)
      ? target(statusUrl, fields.StatusCallbackMethod)
      : undefined;
  const [ring, answered, hangup] = ['ringing', 'answered', 'completed'].map(told);
  return {
    from: fields.From,
    to: normalisePhoneNumber(fields.To),
    answer,
    ...(fields.FallbackUrl && { fallback: target(fields.FallbackUrl, fields.UrlMethod) }),
    ...(ring && { ring }),
    ...(answered && { answered }),
    ...(hangup && { hangup }),
    ringTimeoutMs: fields.Timeout * 1_000,
    timeLimitMs: fields.TimeLimit * 1_000,
    ...(fields.MachineDetection !== 'Disable' && {
      machineDetection: {
        afterMs: MACHINE_DETECTION_MS,
        hangsUp: false,
        ...(machineUrl && fields.AsyncAmd && { report: target(machineUrl, fields.AsyncAmdStatusCallbackMethod) }),
      },
    }),
  };
}

/** Pages count from 0. */
function pageOf(
  request: Request,
  calls: readonly object[],
  { Page: page, PageSize: size }: z.infer<typeof CallQuery>,
): object {
  const uri = (at: number) => {
    const query = new URLSearchParams(request.originalUrl.replace(/^[^?]*/, ''));
    query.set('Page', String(at));
    query.set('PageSize', String(size));
    return `${request.baseUrl}${request.path}.json?${query}`;
  };
  const start = page * size;
  const shown = calls.slice(start, start + size);
  return {
    calls: shown,
    page,
    page_size: size,
    start,
    end: start + Math.max(0, shown.length - 1),
    uri: uri(page),
    first_page_uri: uri(0),
    next_page_uri: start + size < calls.length ? uri(page + 1) : null,
  };
}

/** A call as the REST API describes it, during the call and afterwards. @see carrier reference 7.2 */
function callResource(call: PhoneCall, accountId: string): object {
  const { setup, end, startedAt } = call;
  const created = startedAt.toUTCString();
  const ended = end?.at.toUTCString() ?? null;
  return {
    account_sid: accountId,
    sid: call.id,
    direction: setup.direction,
    status: callStatus(call),
    from: setup.from,
    from_formatted: setup.from,
    to: setup.to,
    to_formatted: setup.to,
    caller_name: setup.from,
    date_created: created,
    date_updated: ended ?? created,
    start_time: created,
    end_time: ended,
    duration: String(durationSeconds(call)),
    price: null,
    price_unit: null,
    uri: `/v2/texml/Accounts/${accountId}/Calls/${call.id}.json`,
  };
}
