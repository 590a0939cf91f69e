import { Router } from 'express';
import { z } from 'zod';
import { MAX_STORED, type TwilioAccount } from './account.js';
import { API_VERSION } from './call-parameters.js';
import { timestamp } from './call-status.js';
import { fail, parse, send } from './rest-answer.js';

const NewKey = z.object({ FriendlyName: z.string().max(64).default('') });

/** The account itself, read-only, and the making of API keys for it, which is for its owner alone. @see carrier reference 7.1 */
export function restAccount(account: TwilioAccount, authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });
  const path = `/Accounts/${authId}`;

  api.get(`${path}.json`, (_request, response) => {
    const created = timestamp(account.createdAt);
    send(response, 200, {
      sid: authId,
      owner_account_sid: authId,
      friendly_name: 'Sandbox',
      status: 'active',
      type: 'Full',
      date_created: created,
      date_updated: created,
      uri: `/${API_VERSION}${path}.json`,
      subresource_uris: {},
    });
  });

  api.post(`${path}/Keys.json`, (request, response) => {
    if (!response.locals.isOwner) return fail(response, 401, 'Authenticate');
    const fields = parse(NewKey, request.body, response);
    if (!fields) return;
    const key = account.createKey(fields.FriendlyName);
    if (!key) return fail(response, 400, `The account has ${MAX_STORED} keys`);
    const created = timestamp(key.createdAt);
    const { sid, name, secret } = key;
    send(response, 201, { sid, friendly_name: name, date_created: created, date_updated: created, secret });
  });

  return api;
}
