import { type RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { DtmfDigit } from '../../base/audio/dtmf.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { durationSeconds } from '../carrier/call-statuses.js';
import type { AccountCalls } from '../carrier/face.js';
import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { webhookUrl } from '../network/loopback.js';
import { dtmfAudio, silence } from '../network/prompt-audio.js';
import type { PlivoAccount } from './account.js';
import { callStatus, hangupSource, timestamp, withoutPlus } from './call-parameters.js';
import { fail, parse, send, sendList } from './rest-answer.js';
import { httpMethod } from './rest-fields.js';

const MAX_TIME_LIMIT_S = 86_400;
/** How long the carrier's machine detection listens after the answer, in milliseconds. */
const MACHINE_DETECTION_MS = 2_000;

const method = httpMethod.default('POST');
const seconds = z.coerce.number().int().min(1);

/** Fields of `POST Call/` that change something here; the others are tolerated. */
const CallRequest = z.object({
  from: z.string().min(1),
  to: z.string().regex(/^\+?\d{3,15}$/, 'one telephone number, digits only'),
  answer_url: webhookUrl,
  answer_method: method,
  fallback_url: webhookUrl.optional(),
  fallback_method: method,
  hangup_url: webhookUrl.optional(),
  hangup_method: method,
  ring_url: webhookUrl.optional(),
  ring_method: method,
  ring_timeout: seconds.default(120),
  hangup_on_ring: seconds.optional(),
  time_limit: seconds.default(14_400).transform((limit) => Math.min(limit, MAX_TIME_LIMIT_S)),
  machine_detection: z.preprocess(String, z.enum(['true', 'false', 'hangup'])).default('false'),
  machine_detection_url: webhookUrl.optional(),
  machine_detection_method: method,
  machine_detection_time: z.coerce.number().int().min(2_000).max(10_000).default(5_000),
});

const CallFilter = z.object({
  status: z.enum(['live', 'queued']).optional(),
  call_direction: z.enum(['inbound', 'outbound']).optional(),
  from_number: z.string().transform(withoutPlus).optional(),
  to_number: z.string().transform(withoutPlus).optional(),
});

const Transfer = z.object({
  legs: z.literal('aleg', 'the sandbox transfers the aleg only').default('aleg'),
  aleg_url: webhookUrl,
  aleg_method: method,
});

const Digits = z.object({
  digits: z.string().regex(/^[\dA-D*#wW]{1,64}$/i, '1 to 64 of 0-9 * # A-D, w and W'),
  leg: z.enum(['aleg', 'bleg']).default('aleg'),
});

/** Making, reading, transferring and ending calls. @see carrier reference 1.2 and 1.3 */
export function restCalls(carrier: AccountCalls, account: PlivoAccount, authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });

  api.post('/Call/', (request, response) => {
    const fields = parse(CallRequest, request.body, response);
    if (!fields) return;
    if (!account.number(normalisePhoneNumber(fields.from))) {
      return fail(response, 400, `from parameter is invalid: ${fields.from} is not associated with your account`);
    }
    const call = carrier.dialOut(dialRequest(fields));
    const message = call.isQueued ? 'call queued' : 'call fired';
    send(response, 201, { message, request_uuid: call.id });
  });

  api.get('/Call/', (request, response) => {
    const filter = parse(CallFilter, request.query, response);
    if (!filter) return;
    if (!filter.status) {
      const records = carrier.ended.map((call) => callRecord(call, authId)).filter((record) => matches(filter, record));
      return sendList(request, response, records);
    }
    const isQueued = filter.status === 'queued';
    const calls = [...carrier.calls].filter((call) => call.isQueued === isQueued && matches(filter, numbersOf(call)));
    send(response, 200, { calls: calls.map(({ id }) => id) });
  });

  const sendUnfinished: RequestHandler<{ id: string }> = (request, response, next) => {
    const { status } = request.query;
    if (status === undefined) return next();
    const call = carrier.find(request.params.id);
    if (!call || status !== (call.isQueued ? 'queued' : 'live')) return fail(response, 404, 'not found');
    send(response, 200, unfinishedCall(call));
  };

  api.get('/Call/:id', sendUnfinished); // the carrier's client library leaves the slash out
  api.get('/Call/:id/', sendUnfinished, (request, response) => {
    const found = carrier.findEnded(request.params.id);
    if (!found) return fail(response, 404, 'not found');
    send(response, 200, callRecord(found, authId));
  });

  api.post('/Call/:id/', (request, response) => {
    const call = carrier.find(request.params.id);
    if (!call?.answeredAt) return fail(response, 404, 'not found');
    const fields = parse(Transfer, request.body, response);
    if (!fields) return;
    call.transfer({ url: fields.aleg_url, method: fields.aleg_method });
    send(response, 202, { message: 'call transferred', call_uuids: [call.id] });
  });

  api.post('/Call/:id/DTMF/', (request, response) => {
    const call = carrier.find(request.params.id);
    if (!call?.answeredAt) return fail(response, 404, 'not found');
    const fields = parse(Digits, request.body, response);
    if (!fields) return;
    const leg = fields.leg === 'aleg' ? call : call.otherLeg;
    if (!leg) return fail(response, 400, 'leg parameter is invalid: the call has no bleg');
    for (const key of fields.digits) leg.playback.push(soundOf(key));
    send(response, 202, { message: 'digits sent' });
  });

  api.delete('/Call/', (_request, response) => {
    for (const call of carrier.calls) call.finish(HANGUP_CAUSES.cancelled, 'API Request');
    send(response, 204, {});
  });

  api.delete('/Call/:id/', (request, response) => {
    const call = carrier.find(request.params.id);
    if (!call) return fail(response, 404, 'not found');
    call.finish(HANGUP_CAUSES.cancelled, 'API Request');
    send(response, 204, {});
  });

  api.delete('/Request/:id/', (request, response) => {
    const call = carrier.find(request.params.id);
    if (!call || call.answeredAt || call.setup.direction === 'inbound') return fail(response, 404, 'not found');
    call.finish(HANGUP_CAUSES.cancelled, 'API Request');
    send(response, 204, {});
  });

  return api;
}

function dialRequest(fields: z.infer<typeof CallRequest>): Parameters<AccountCalls['dialOut']>[0] {
  const { machine_detection: detection, machine_detection_url: reportUrl } = fields;
  const answer = { url: fields.answer_url, method: fields.answer_method };
  const ringSeconds = Math.min(fields.ring_timeout, fields.hangup_on_ring ?? fields.ring_timeout);
  return {
    from: fields.from,
    to: normalisePhoneNumber(fields.to),
    answer,
    ...(fields.fallback_url && { fallback: { url: fields.fallback_url, method: fields.fallback_method } }),
    hangup: fields.hangup_url ? { url: fields.hangup_url, method: fields.hangup_method } : answer,
    ...(fields.ring_url && { ring: { url: fields.ring_url, method: fields.ring_method } }),
    ringTimeoutMs: ringSeconds * 1_000,
    timeLimitMs: fields.time_limit * 1_000,
    ...(detection !== 'false' && {
      machineDetection: {
        afterMs: MACHINE_DETECTION_MS,
        hangsUp: detection === 'hangup',
        ...(reportUrl && { report: { url: reportUrl, method: fields.machine_detection_method } }),
      },
    }),
  };
}

type CallNumbers = Record<'call_direction' | 'from_number' | 'to_number', string>;

const numbersOf = ({ setup }: PhoneCall): CallNumbers => ({
  call_direction: setup.direction,
  from_number: withoutPlus(setup.from),
  to_number: withoutPlus(setup.to),
});

function matches(filter: z.infer<typeof CallFilter>, numbers: CallNumbers): boolean {
  const names = ['call_direction', 'from_number', 'to_number'] as const;
  return names.every((name) => filter[name] === undefined || filter[name] === numbers[name]);
}

function unfinishedCall(call: PhoneCall): object {
  return {
    call_uuid: call.id,
    request_uuid: call.id,
    call_status: callStatus(call),
    direction: call.setup.direction,
    from: withoutPlus(call.setup.from),
    to: withoutPlus(call.setup.to),
    caller_name: withoutPlus(call.setup.from),
    session_start: timestamp(call.startedAt),
  };
}

/** What a key sounds like; `w` is half a second of pause, `W` a second. */
function soundOf(key: string): Uint8Array {
  if (key === 'w') return silence(500);
  if (key === 'W') return silence(1_000);
  return dtmfAudio([key.toUpperCase() as DtmfDigit]);
}

/** The record of a call that has ended. @see carrier reference 1.3, call-record fields */
interface PlivoCallRecord {
  readonly call_uuid: string;
  readonly call_direction: string;
  readonly from_number: string;
  readonly to_number: string;
  readonly [field: string]: unknown;
}

function callRecord(call: PhoneCall, authId: string): PlivoCallRecord {
  const { setup, end, answeredAt } = call;
  const seconds = durationSeconds(call);
  return {
    call_uuid: call.id,
    parent_call_uuid: null,
    call_direction: setup.direction,
    call_state: answeredAt ? 'ANSWER' : end?.cause.status.toUpperCase(),
    from_number: withoutPlus(setup.from),
    to_number: withoutPlus(setup.to),
    initiation_time: time(call.startedAt),
    answer_time: answeredAt ? time(answeredAt) : null,
    end_time: end && time(end.at),
    call_duration: seconds,
    bill_duration: seconds,
    billed_duration: Math.ceil(seconds / 60) * 60,
    total_amount: '0.00000',
    total_rate: '0.00550',
    hangup_cause_code: end?.cause.code,
    hangup_cause_name: end?.cause.name,
    hangup_source: end && hangupSource(end.source),
    stir_verification: 'Not Applicable',
    source_ip: null,
    resource_uri: `/v1/Account/${authId}/Call/${call.id}/`,
  };
}

/** `YYYY-MM-DD HH:MM:SS+00:00` */
const time = (date: Date): string => date.toISOString().replace('T', ' ').replace(/\..*/, '+00:00');
