import { type Response, Router } from 'express';
import { z } from 'zod';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { durationSeconds } from '../carrier/call-statuses.js';
import type { AccountCalls, OutgoingCall } from '../carrier/face.js';
import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { webhookUrl } from '../network/loopback.js';
import type { WebhookTarget } from '../network/webhook-target.js';
import type { TwilioAccount } from './account.js';
import { API_VERSION } from './call-parameters.js';
import { callStatus, timestamp } from './call-status.js';
import { ERRORS, type FieldErrors, fail, notFound, parse, send, sendPage } from './rest-answer.js';
import { method } from './rest-fields.js';

/** How long machine detection listens after the answer, in milliseconds. */
const MACHINE_DETECTION_MS = 2_000;
const EVENTS = ['initiated', 'ringing', 'answered', 'completed'];
/** Satellite and premium-rate numbers: accounts may not call them unless they are allowed to. */
const WITHOUT_PERMISSION = /^\+(?:87\d|88[1-3]|979)/;

const post = method.default('POST');
const number = z.string().regex(/^\+?\d{3,15}$/, 'one telephone number, digits only');
const onlyAddresses = z.never('the sandbox takes addresses of documents only').optional();

/** Fields of a call to be placed that change something here; the others are tolerated. */
const CallRequestFields = z
  .object({
    To: number,
    From: number,
    Url: webhookUrl,
    Method: post,
    FallbackUrl: webhookUrl.optional(),
    FallbackMethod: post,
    StatusCallback: webhookUrl.optional(),
    StatusCallbackMethod: post,
    StatusCallbackEvent: z
      .union([z.string(), z.array(z.string())])
      .default('completed')
      .transform((events) => [events].flat().flatMap((words) => words.split(' ')))
      .refine((events) => events.every((event) => EVENTS.includes(event)), `one or more of ${EVENTS.join(' ')}`),
    Timeout: z.coerce.number().int().min(1).max(600).default(60),
    TimeLimit: z.coerce.number().int().min(1).max(14_400).default(14_400),
    MachineDetection: z.enum(['Enable', 'DetectMessageEnd']).optional(),
    AsyncAmd: z.enum(['true', 'false']).default('false'),
    AsyncAmdStatusCallback: webhookUrl.optional(),
    AsyncAmdStatusCallbackMethod: post,
    Twiml: onlyAddresses,
    ApplicationSid: onlyAddresses,
  })
  .refine(({ MachineDetection, AsyncAmd }) => !MachineDetection || AsyncAmd === 'true', {
    path: ['MachineDetection'],
    message: 'the sandbox plays it with AsyncAmd=true only',
  });

const CALL_ERRORS: FieldErrors = {
  To: [ERRORS.toMissing, ERRORS.toInvalid],
  From: [ERRORS.fromMissing, ERRORS.fromInvalid],
  Url: [ERRORS.urlInvalid, ERRORS.urlInvalid],
};

const CallQuery = z.object({
  From: z.string().transform(normalisePhoneNumber).optional(),
  To: z.string().transform(normalisePhoneNumber).optional(),
  Status: z.string().optional(),
});

const CallChange = z.object({
  Status: z.enum(['completed', 'canceled']).optional(),
  Url: webhookUrl.optional(),
  Method: post,
  Twiml: onlyAddresses,
});

/** Placing, reading, transferring and ending calls. @see carrier reference 7.1 */
export function restCalls(carrier: AccountCalls, account: TwilioAccount, authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });
  const resourceOf = (call: PhoneCall) => {
    const { direction, from, to } = call.setup;
    const ours = account.number(normalisePhoneNumber(direction === 'inbound' ? to : from));
    return callResource(call, authId, ours?.sid);
  };

  api.post('/Calls.json', (request, response) => {
    const fields = parse(CallRequestFields, request.body, response, CALL_ERRORS);
    if (!fields) return;
    const [from, to] = [fields.From, fields.To].map(normalisePhoneNumber) as [string, string];
    if (!account.number(from)) {
      const problem = `The source phone number ${from} is neither a number of the account nor verified for it`;
      return fail(response, 400, problem, ERRORS.fromNotOwned);
    }
    if (WITHOUT_PERMISSION.test(to)) {
      const problem = `The account has no permission to call ${to}, see its geographic permissions`;
      return fail(response, 400, problem, ERRORS.noGeoPermission);
    }
    const call = carrier.dialOut(outgoingCall(fields, from, to));
    send(response, 201, { ...resourceOf(call), status: 'queued' });
  });

  api.get('/Calls.json', (request, response) => {
    const query = parse(CallQuery, request.query, response);
    if (!query) return;
    const { From: from, To: to, Status: status } = query;
    const found = [...[...carrier.calls].reverse(), ...carrier.ended].filter(
      (call) =>
        (from === undefined || normalisePhoneNumber(call.setup.from) === from) &&
        (to === undefined || normalisePhoneNumber(call.setup.to) === to) &&
        (status === undefined || callStatus(call) === status),
    );
    sendPage(request, response, 'calls', found.map(resourceOf));
  });

  api.get('/Calls/:sid.json', (request, response) => {
    const { sid } = request.params;
    const call = carrier.find(sid) ?? carrier.findEnded(sid);
    if (call) send(response, 200, resourceOf(call));
    else notFound(request, response);
  });

  api.post('/Calls/:sid.json', async (request, response) => {
    const { sid } = request.params;
    const call = carrier.find(sid);
    if (!call) return carrier.findEnded(sid) ? notInProgress(response) : notFound(request, response);
    const change = parse(CallChange, request.body, response);
    if (!change) return;
    if (change.Status) {
      // A call that the callee has answered cannot be cancelled any more.
      if (change.Status === 'completed' || !call.answeredAt) call.finish(HANGUP_CAUSES.cancelled, 'API Request');
    } else if (change.Url) {
      if (!call.answeredAt) return notInProgress(response);
      const { stream } = call;
      call.transfer({ url: change.Url, method: change.Method });
      await stream?.closed;
    }
    send(response, 200, resourceOf(call));
  });

  return api;
}

const notInProgress = (response: Response): void =>
  fail(response, 400, 'Call is not in-progress. Cannot redirect.', ERRORS.callNotInProgress);

function outgoingCall(fields: z.infer<typeof CallRequestFields>, from: string, to: string): OutgoingCall {
  const { StatusCallback: url, StatusCallbackMethod: method, AsyncAmdStatusCallback: machineUrl } = fields;
  const told = (event: string): WebhookTarget | undefined =>
    url !== undefined && fields.StatusCallbackEvent.includes(event) ? { url, method } : undefined;
  const [ring, answered, hangup] = ['ringing', 'answered', 'completed'].map(told);
  return {
    from,
    to,
    answer: { url: fields.Url, method: fields.Method },
    ...(fields.FallbackUrl && { fallback: { url: fields.FallbackUrl, method: fields.FallbackMethod } }),
    ...(ring && { ring }),
    ...(answered && { answered }),
    ...(hangup && { hangup }),
    ringTimeoutMs: fields.Timeout * 1_000,
    timeLimitMs: fields.TimeLimit * 1_000,
    ...(fields.MachineDetection && {
      machineDetection: {
        afterMs: MACHINE_DETECTION_MS,
        hangsUp: false,
        ...(machineUrl && { report: { url: machineUrl, method: fields.AsyncAmdStatusCallbackMethod } }),
      },
    }),
  };
}

/** A call as the REST API describes it, during the call and afterwards. @see carrier reference 7.1 */
function callResource(call: PhoneCall, accountSid: string, numberSid: string | undefined): object {
  const { setup, end, startedAt, answeredAt } = call;
  const created = timestamp(startedAt);
  const ended = end ? timestamp(end.at) : null;
  return {
    sid: call.id,
    account_sid: accountSid,
    parent_call_sid: null,
    phone_number_sid: numberSid ?? null,
    api_version: API_VERSION,
    direction: setup.direction === 'inbound' ? 'inbound' : 'outbound-api',
    status: callStatus(call),
    from: setup.from,
    from_formatted: setup.from,
    to: setup.to,
    to_formatted: setup.to,
    caller_name: null,
    forwarded_from: null,
    answered_by: null,
    group_sid: null,
    trunk_sid: null,
    queue_time: '0',
    date_created: created,
    date_updated: ended ?? created,
    start_time: answeredAt ? timestamp(answeredAt) : null,
    end_time: ended,
    duration: end ? String(durationSeconds(call)) : null,
    price: null,
    price_unit: 'USD',
    uri: `/${API_VERSION}/Accounts/${accountSid}/Calls/${call.id}.json`,
    subresource_uris: {},
  };
}
