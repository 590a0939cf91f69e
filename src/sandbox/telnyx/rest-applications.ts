import { Router } from 'express';
import { z } from 'zod';
import { webhookUrl } from '../network/loopback.js';
import { MAX_TEXML_APPLICATIONS, outboundProfileOf, type StoredApplication, type TelnyxAccount } from './account.js';
import { fail, notFound, parse, send, sendPage } from './rest-answer.js';

const name = z.string().min(1).max(255);
const urlOrNone = z.literal('').or(webhookUrl).nullable().optional();
const method = z.enum(['get', 'post']).optional();

/** Of a new application and of every change. Other fields are kept as they come. */
const ApplicationFields = z.looseObject({
  id: z.never().optional(),
  friendly_name: name,
  voice_url: webhookUrl,
  voice_method: method,
  voice_fallback_url: urlOrNone,
  status_callback: urlOrNone,
  status_callback_method: method,
  inbound: z.looseObject({}).optional(),
  outbound: z.looseObject({ outbound_voice_profile_id: z.string().nullable().optional() }).optional(),
});

const ApplicationQuery = z.object({
  'filter[friendly_name]': z.string().min(3).optional(),
  'filter[outbound_voice_profile_id]': z.string().optional(),
  sort: z.enum(['created_at', '-created_at', 'friendly_name', '-friendly_name', 'active', '-active']).optional(),
});

/** The TeXML applications of the account, and the connections of which they are one kind. @see carrier reference 7.2 */
export function restApplications(account: TelnyxAccount): Router {
  const api = Router({ caseSensitive: true });

  api.get('/texml_applications', (request, response) => {
    const query = parse(ApplicationQuery, request.query, response);
    if (!query) return;
    const part = query['filter[friendly_name]']?.toLowerCase() ?? '';
    const profile = query['filter[outbound_voice_profile_id]'];
    const found = account.applications.filter(
      (application) =>
        application.friendly_name.toLowerCase().includes(part) &&
        (profile === undefined || outboundProfileOf(application) === profile),
    );
    sendPage(request, response, sorted(found, query.sort ?? '-created_at'));
  });

  api.post('/texml_applications', (request, response) => {
    const fields = parse(ApplicationFields, request.body, response);
    if (!fields) return;
    const application = account.create(fields);
    if (application) send(response, 201, { data: application });
    else fail(response, 422, `The account has ${MAX_TEXML_APPLICATIONS} applications, delete one first.`);
  });

  api.get('/texml_applications/:id', (request, response) => {
    const application = account.application(request.params.id);
    if (application) send(response, 200, { data: application });
    else notFound(response);
  });

  api.patch('/texml_applications/:id', (request, response) => {
    const application = account.application(request.params.id);
    if (!application) return notFound(response);
    const change = parse(ApplicationFields, request.body, response);
    if (change) send(response, 200, { data: account.change(application, change) });
  });

  api.delete('/texml_applications/:id', (request, response) => {
    const application = account.application(request.params.id);
    if (!application) return notFound(response);
    account.delete(application);
    send(response, 200, { data: application });
  });

  api.get('/connections/:id', (request, response) => {
    const connection = account.connection(request.params.id);
    if (connection) send(response, 200, { data: connection });
    else notFound(response);
  });

  return api;
}

/** @param applications oldest first */
function sorted(applications: readonly StoredApplication[], order: string): readonly StoredApplication[] {
  const key = order.replace('-', '');
  const oldestFirst = [...applications];
  if (key !== 'created_at') oldestFirst.sort((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1));
  return order.startsWith('-') ? oldestFirst.reverse() : oldestFirst;
}
