import { Router } from 'express';
import { z } from 'zod';
import { withoutPlus } from './call-parameters.js';
import type { Application, PhoneNetwork } from './network.js';
import { fail, parse, send, sendList } from './rest-answer.js';
import { httpMethod, webhookUrl } from './rest-fields.js';

const urlOrNone = z.literal('').or(webhookUrl).optional();

const ApplicationChange = z.object({
  app_name: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
  answer_url: urlOrNone,
  answer_method: httpMethod.optional(),
  hangup_url: urlOrNone,
  hangup_method: httpMethod.optional(),
});

const NumberChange = z.object({ app_id: z.coerce.string().optional() });

/** The one application and the one number of the account. @see carrier reference sections 1.5 and 1.6 */
export function restApplications(network: PhoneNetwork, authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });

  api.get('/Application/', (request, response) => {
    const { name } = network.application;
    const isMatch = name.startsWith(String(request.query.app_name ?? ''));
    sendList(request, response, isMatch ? [applicationObject(network, authId)] : []);
  });

  api.get('/Application/:id/', (request, response) => {
    if (request.params.id !== network.application.id) return fail(response, 404, 'not found');
    send(response, 200, applicationObject(network, authId));
  });

  api.post('/Application/:id/', (request, response) => {
    if (request.params.id !== network.application.id) return fail(response, 404, 'not found');
    const change = parse(ApplicationChange, request.body, response);
    if (!change) return;
    const { application } = network;
    application.name = change.app_name ?? application.name;
    application.answerUrl = change.answer_url ?? application.answerUrl;
    application.answerMethod = change.answer_method ?? application.answerMethod;
    application.hangupUrl = change.hangup_url ?? application.hangupUrl;
    application.hangupMethod = change.hangup_method ?? application.hangupMethod;
    send(response, 202, { message: 'changed' });
  });

  api.get('/Number/', (request, response) => sendList(request, response, [numberObject(network, authId)]));

  api.get('/Number/:number/', (request, response) => {
    if (request.params.number !== withoutPlus(network.number)) return fail(response, 404, 'not found');
    send(response, 200, numberObject(network, authId));
  });

  api.post('/Number/:number/', (request, response) => {
    if (request.params.number !== withoutPlus(network.number)) return fail(response, 404, 'not found');
    const change = parse(NumberChange, request.body, response);
    if (!change) return;
    if (change.app_id !== undefined && change.app_id !== network.application.id) {
      return fail(response, 400, `app_id parameter is invalid: there is no application ${change.app_id}`);
    }
    send(response, 202, { message: 'changed' });
  });

  return api;
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
