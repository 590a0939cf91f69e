import { Router } from 'express';
import { z } from 'zod';
import { webhookUrl } from '../network/loopback.js';
import type { ApplicationSettings, PlivoAccount, SandboxApplication } from './account.js';
import { MAX_APPLICATIONS } from './account.js';
import { fail, parse, send, sendList } from './rest-answer.js';
import { httpMethod, wireBoolean } from './rest-fields.js';

const name = z.string().regex(/^[\w-]{1,64}$/, '1 to 64 letters, digits, "-" or "_"');
const urlOrNone = z.literal('').or(webhookUrl).optional();
const method = httpMethod.optional();
const flag = wireBoolean.optional();

const ApplicationChange = z.object({
  app_name: name.optional(),
  answer_url: urlOrNone,
  answer_method: method,
  hangup_url: urlOrNone,
  hangup_method: method,
  fallback_answer_url: urlOrNone,
  fallback_method: method,
  message_url: urlOrNone,
  message_method: method,
  default_number_app: flag,
  default_endpoint_app: flag,
  subaccount: z.string().max(64).optional(),
  log_incoming_messages: flag,
  public_uri: flag,
});

const NewApplication = ApplicationChange.extend({ app_name: name, answer_url: webhookUrl });

/** The applications of the account. @see carrier reference 1.5 */
export function restApplications(account: PlivoAccount, authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });

  api.get('/Application/', (request, response) => {
    const prefix = String(request.query.app_name ?? '');
    const found = account.applications.filter(({ settings }) => settings.app_name.startsWith(prefix));
    sendList(
      request,
      response,
      found.map((application) => applicationObject(application, authId)),
    );
  });

  api.post('/Application/', (request, response) => {
    const settings = parse(NewApplication, request.body, response);
    if (!settings) return;
    const application = account.create({ ...given(settings), app_name: settings.app_name });
    if (!application) return fail(response, 400, `the account has ${MAX_APPLICATIONS} applications, delete one first`);
    send(response, 201, { message: 'created', app_id: application.id });
  });

  api.get('/Application/:id/', (request, response) => {
    const application = account.application(request.params.id);
    if (!application) return fail(response, 404, 'not found');
    send(response, 200, applicationObject(application, authId));
  });

  api.post('/Application/:id/', (request, response) => {
    const application = account.application(request.params.id);
    if (!application) return fail(response, 404, 'not found');
    const change = parse(ApplicationChange, request.body, response);
    if (!change) return;
    Object.assign(application.settings, given(change));
    send(response, 202, { message: 'changed' });
  });

  api.delete('/Application/:id/', (request, response) => {
    if (!account.delete(request.params.id)) return fail(response, 404, 'not found');
    send(response, 204, {});
  });

  return api;
}

/** The fields that a request has; those it leaves out keep their value. */
function given(fields: z.infer<typeof ApplicationChange>): Partial<ApplicationSettings> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function applicationObject({ id, settings: { subaccount, ...settings } }: SandboxApplication, authId: string): object {
  return {
    app_id: id,
    ...settings,
    default_app: false,
    enabled: true,
    sip_uri: `sip:${id}@app.localhost`,
    sub_account: subaccount || null,
    resource_uri: `/v1/Account/${authId}/Application/${id}/`,
  };
}
