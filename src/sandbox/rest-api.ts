import { randomUUID } from 'node:crypto';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import { z } from 'zod';
import { normalisePhoneNumber } from '../call/phone-number.js';
import { VoicebotError } from '../errors.js';
import type { Call } from './call.js';
import { callStatus, timestamp, withoutPlus } from './call-parameters.js';
import { HANGUP_CAUSES } from './hangup-causes.js';
import { HTTP, loopbackUrl } from './loopback.js';
import type { Application, PhoneNetwork } from './network.js';
import { isSameSecret } from './secret.js';

const MAX_BODY = '64kb';
const MAX_TIME_LIMIT_S = 86_400;

const method = z.enum(['GET', 'POST']).default('POST');
const optionalMethod = z.enum(['GET', 'POST']).optional();
const seconds = z.coerce.number().int().min(1);
const webhookUrl = z.string().superRefine((address, context) => {
  try {
    loopbackUrl(address, HTTP);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as VoicebotError).message });
  }
});
const urlOrNone = z.literal('').or(webhookUrl).optional();

/** Fields of `POST Call/` that change something here; the others, machine detection among them, are tolerated. */
const CallRequest = z.object({
  from: z.string().min(1),
  to: z.string().regex(/^\+?\d{3,15}$/, 'one telephone number, digits only'),
  answer_url: webhookUrl,
  answer_method: method,
  hangup_url: webhookUrl.optional(),
  hangup_method: method,
  ring_url: webhookUrl.optional(),
  ring_method: method,
  ring_timeout: seconds.default(120),
  hangup_on_ring: seconds.optional(),
  time_limit: seconds.default(14_400).transform((limit) => Math.min(limit, MAX_TIME_LIMIT_S)),
});

const ApplicationChange = z.object({
  app_name: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
  answer_url: urlOrNone,
  answer_method: optionalMethod,
  hangup_url: urlOrNone,
  hangup_method: optionalMethod,
});

const NumberChange = z.object({ app_id: z.coerce.string().optional() });

/**
 * The carrier's REST API under `/v1/Account/<authId>/`, as far as the sandbox plays it.
 * @see carrier reference sections 1.1 to 1.6
 */
export function restApi(network: PhoneNetwork, credentials: { authId: string; authToken: string }): Express {
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('strict routing')
    .enable('case sensitive routing');
  const api = express.Router({ strict: true, caseSensitive: true });
  const basic = Buffer.from(`${credentials.authId}:${credentials.authToken}`).toString('base64');

  app.use((request, response, next) => {
    if (isSameSecret(request.get('authorization') ?? '', `Basic ${basic}`)) return next();
    response.set('www-authenticate', 'Basic realm="sandbox"');
    fail(response, 401, 'could not verify your access level for that URL');
  });
  app.use(express.json({ limit: MAX_BODY }));
  app.use(`/v1/Account/${credentials.authId}`, api);
  app.use((_request, response) => fail(response, 404, 'not found; paths are case-sensitive and end in a slash'));
  app.use(onError);

  api.post('/Call/', (request, response) => {
    const call = parse(CallRequest, request, response);
    if (!call) return;
    if (normalisePhoneNumber(call.from) !== network.number) {
      return fail(response, 400, `from parameter is invalid: ${call.from} is not associated with your account`);
    }
    const ringSeconds = Math.min(call.ring_timeout, call.hangup_on_ring ?? call.ring_timeout);
    const { id } = network.dialOut({
      from: call.from,
      to: normalisePhoneNumber(call.to),
      answer: { url: call.answer_url, method: call.answer_method },
      ...(call.hangup_url && { hangup: { url: call.hangup_url, method: call.hangup_method } }),
      ...(call.ring_url && { ring: { url: call.ring_url, method: call.ring_method } }),
      ringTimeoutMs: ringSeconds * 1_000,
      timeLimitMs: call.time_limit * 1_000,
    });
    send(response, 201, { message: 'call fired', request_uuid: id });
  });

  api.get('/Call/', (request, response) => {
    if (request.query.status !== 'live') return fail(response, 400, 'the sandbox lists live calls only: ?status=live');
    send(response, 200, { calls: Array.from(network.calls, ({ id }) => id) });
  });

  api.get('/Call/:id/', (request, response) => {
    const call = request.query.status === 'live' ? network.find(request.params.id) : undefined;
    if (!call) return fail(response, 404, 'not found');
    send(response, 200, liveCall(call));
  });

  api.delete('/Call/:id/', (request, response) => {
    const call = network.find(request.params.id);
    if (!call) return fail(response, 404, 'not found');
    call.finish(HANGUP_CAUSES.cancelled, 'API Request');
    response.status(204).end();
  });

  api.get('/Application/', (request, response) => {
    const { name } = network.application;
    const isMatch = name.startsWith(String(request.query.app_name ?? ''));
    sendList(response, isMatch ? [applicationObject(network, credentials.authId)] : []);
  });

  api.get('/Application/:id/', (request, response) => {
    if (request.params.id !== network.application.id) return fail(response, 404, 'not found');
    send(response, 200, applicationObject(network, credentials.authId));
  });

  api.post('/Application/:id/', (request, response) => {
    if (request.params.id !== network.application.id) return fail(response, 404, 'not found');
    const change = parse(ApplicationChange, request, response);
    if (!change) return;
    const { application } = network;
    application.name = change.app_name ?? application.name;
    application.answerUrl = change.answer_url ?? application.answerUrl;
    application.answerMethod = change.answer_method ?? application.answerMethod;
    application.hangupUrl = change.hangup_url ?? application.hangupUrl;
    application.hangupMethod = change.hangup_method ?? application.hangupMethod;
    send(response, 202, { message: 'changed' });
  });

  api.get('/Number/', (_request, response) => sendList(response, [numberObject(network, credentials.authId)]));

  api.get('/Number/:number/', (request, response) => {
    if (request.params.number !== withoutPlus(network.number)) return fail(response, 404, 'not found');
    send(response, 200, numberObject(network, credentials.authId));
  });

  api.post('/Number/:number/', (request, response) => {
    if (request.params.number !== withoutPlus(network.number)) return fail(response, 404, 'not found');
    const change = parse(NumberChange, request, response);
    if (!change) return;
    if (change.app_id !== undefined && change.app_id !== network.application.id) {
      return fail(response, 400, `app_id parameter is invalid: there is no application ${change.app_id}`);
    }
    send(response, 202, { message: 'changed' });
  });

  return app;
}

function liveCall(call: Call): object {
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

function applicationObject({ application }: PhoneNetwork, authId: string): object {
  const { id, name, answerUrl, answerMethod, hangupUrl, hangupMethod }: Application = application;
  return {
    app_id: id,
    app_name: name,
    answer_url: answerUrl,
    answer_method: answerMethod,
    hangup_url: hangupUrl,
    hangup_method: hangupMethod,
    fallback_answer_url: '',
    fallback_method: 'POST',
    default_app: false,
    enabled: true,
    sub_account: null,
    resource_uri: applicationUri(id, authId),
  };
}

function numberObject({ application, number }: PhoneNetwork, authId: string): object {
  return {
    number: withoutPlus(number),
    alias: 'sandbox',
    application: applicationUri(application.id, authId),
    voice_enabled: true,
    sms_enabled: false,
    number_type: 'local',
    country: 'US',
    active: true,
    sub_account: null,
    resource_uri: `/v1/Account/${authId}/Number/${withoutPlus(number)}/`,
  };
}

const applicationUri = (id: string, authId: string): string => `/v1/Account/${authId}/Application/${id}/`;

/** The body as `schema` reads it; undefined when it was refused, with the answer sent. */
function parse<T extends z.ZodType>(schema: T, request: Request, response: Response): z.infer<T> | undefined {
  const parsed = schema.safeParse(request.body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'body';
  const isMissing = request.body === undefined || (issue?.path[0] !== undefined && !(issue.path[0] in request.body));
  fail(
    response,
    400,
    isMissing ? `${field} parameter not present` : `${field} parameter is invalid: ${issue?.message}`,
  );
  return undefined;
}

function send(response: Response, status: number, fields: object): void {
  response.status(status).json({ api_id: randomUUID(), ...fields });
}

function sendList(response: Response, objects: readonly object[]): void {
  const meta = { limit: 20, offset: 0, next: null, previous: null, total_count: objects.length };
  send(response, 200, { meta, objects });
}

function fail(response: Response, status: number, error: string): void {
  send(response, status, { error });
}

const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof VoicebotError) return fail(response, 429, error.message);
  const status = typeof error.status === 'number' && error.status < 500 ? error.status : 500;
  fail(response, status, status < 500 ? String(error.message) : 'internal error');
};
