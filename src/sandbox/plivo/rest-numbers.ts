import { Router } from 'express';
import { z } from 'zod';
import type { PlivoAccount, SandboxNumber } from './account.js';
import { withoutPlus } from './call-parameters.js';
import { fail, parse, send, sendList } from './rest-answer.js';

const NumberFilter = z.object({
  number_startswith: z.string().optional(),
  alias: z.string().optional(),
  application: z.never('numbers cannot be listed by their application').optional(),
  app_id: z.never('numbers cannot be listed by their application').optional(),
});

const NumberChange = z.object({ app_id: z.coerce.string().optional(), alias: z.string().max(64).optional() });

/** The numbers of the account: they can be neither rented nor given up. @see carrier reference 1.6 */
export function restNumbers(account: PlivoAccount, authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });
  const owned = (digits: string) => account.numbers.find(({ number }) => withoutPlus(number) === digits);

  api.get('/Number/', (request, response) => {
    const filter = parse(NumberFilter, request.query, response);
    if (!filter) return;
    const { number_startswith: prefix = '', alias } = filter;
    const found = account.numbers.filter(
      (entry) => withoutPlus(entry.number).startsWith(prefix) && (alias === undefined || entry.alias === alias),
    );
    sendList(
      request,
      response,
      found.map((entry) => numberObject(entry, authId)),
    );
  });

  api.get('/Number/:number/', (request, response) => {
    const entry = owned(request.params.number);
    if (!entry) return fail(response, 404, 'not found');
    send(response, 200, numberObject(entry, authId));
  });

  api.post('/Number/:number/', (request, response) => {
    const entry = owned(request.params.number);
    if (!entry) return fail(response, 404, 'not found');
    const change = parse(NumberChange, request.body, response);
    if (!change) return;
    if (change.app_id !== undefined) {
      const link = account.linkTo(change.app_id);
      if (!link) return fail(response, 400, `app_id parameter is invalid: there is no application ${change.app_id}`);
      entry.link = link;
    }
    entry.alias = change.alias ?? entry.alias;
    send(response, 202, { message: 'changed' });
  });

  return api;
}

function numberObject({ number, alias, link }: SandboxNumber, authId: string): object {
  return {
    number: withoutPlus(number),
    alias,
    application: link
      ? `/v1/Account/${authId}/${link.kind === 'trunk' ? 'Zentrunk/Trunk' : 'Application'}/${link.id}/`
      : '',
    voice_enabled: true,
    sms_enabled: false,
    number_type: 'local',
    country: 'US',
    active: true,
    sub_account: null,
    resource_uri: `/v1/Account/${authId}/Number/${withoutPlus(number)}/`,
  };
}
