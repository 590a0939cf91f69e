import express, { type Express, Router } from 'express';
import { z } from 'zod';
import { isSameSecret } from '../../base/secret.js';
import type { AccountCalls } from '../carrier/face.js';
import { faultInjection, type SandboxFaults } from '../carrier/faults.js';
import { answerErrors } from '../carrier/rest-errors.js';
import { MAX_STORED, type TwilioAccount } from './account.js';
import { API_VERSION } from './call-parameters.js';
import { timestamp } from './call-status.js';
import { fail, notFound, parse, send } from './rest-answer.js';
import { restApplications } from './rest-applications.js';
import { restCalls } from './rest-calls.js';
import { restNumbers } from './rest-numbers.js';

/** Several addresses of a dialled call may each carry 16 KiB of custom data. */
const MAX_BODY = '128kb';

export interface TwilioApiOptions {
  readonly authId: string;
  readonly authToken: string;
  readonly account: TwilioAccount;
  readonly faults: SandboxFaults;
}

/**
 * The carrier's REST API under `/2010-04-01/Accounts/<authId>`, as far as the sandbox plays it. It takes requests that
 * show the account's token or one of its API keys.
 * @see carrier reference 7.1
 */
export function restApi(carrier: AccountCalls, { authId, authToken, account, faults }: TwilioApiOptions): Express {
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('strict routing')
    .enable('case sensitive routing');
  const path = `/${API_VERSION}/Accounts/${authId}`;
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

  app.use((request, response, next) => {
    const given = request.get('authorization') ?? '';
    response.locals.isOwner = isSameSecret(given, basic(authId, authToken));
    const isKnown =
      response.locals.isOwner || [...account.keys].some((key) => isSameSecret(given, basic(key.sid, key.secret)));
    if (isKnown) return next();
    response.set('www-authenticate', 'Basic realm="Twilio API"');
    fail(response, 401, 'Authenticate');
  });
  app.use(express.urlencoded({ extended: false, limit: MAX_BODY }));
  app.use([`${path}/Calls.json`, `${path}/Calls`], faultInjection(faults, fail));
  app.use(`/${API_VERSION}`, restAccount(account, authId));
  app.use(path, restCalls(carrier, account, authId), restApplications(account, authId), restNumbers(account, authId));
  app.use(notFound);
  app.use(answerErrors(fail));
  return app;
}

const NewKey = z.object({ FriendlyName: z.string().max(64).default('') });

/** The account itself, read-only, and the making of API keys for it, which is for its owner alone. @see carrier reference 7.1 */
function restAccount(account: TwilioAccount, authId: string): Router {
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
