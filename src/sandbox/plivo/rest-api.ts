import express, { type Express, type RequestHandler, Router } from 'express';
import { isSameSecret } from '../../base/secret.js';
import type { AccountCalls } from '../carrier/face.js';
import { faultInjection, type SandboxFaults } from '../carrier/faults.js';
import { answerErrors } from '../carrier/rest-errors.js';
import type { PlivoAccount } from './account.js';
import { fail, send } from './rest-answer.js';
import { restApplications } from './rest-applications.js';
import { restCalls } from './rest-calls.js';
import { restNumbers } from './rest-numbers.js';

/** Four addresses of a dialled call may each carry 16 KiB of custom data. */
const MAX_BODY = '128kb';

const NOT_FOUND =
  'not found: paths are case-sensitive and end in a slash, and docs/reference/sandbox.md says which of them the sandbox plays';

export interface RestApiOptions {
  readonly authId: string;
  readonly authToken: string;
  readonly account: PlivoAccount;
  readonly faults: SandboxFaults;
}

/**
 * The carrier's REST API under `/v1/Account/<authId>/`, as far as the sandbox plays it.
 * @see carrier reference 1.1 to 1.6
 */
export function restApi(carrier: AccountCalls, { authId, authToken, account: held, faults }: RestApiOptions): Express {
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .enable('strict routing')
    .enable('case sensitive routing');
  const basic = Buffer.from(`${authId}:${authToken}`).toString('base64');
  const account = `/v1/Account/${authId}`;

  app.use((request, response, next) => {
    if (isSameSecret(request.get('authorization') ?? '', `Basic ${basic}`)) return next();
    response.set('www-authenticate', 'Basic realm="sandbox"');
    fail(response, 401, 'could not verify your access level for that URL');
  });
  // Only a POST has fields: with the others the carrier's client library sends the text '""', which is no object.
  app.post(/.*/, express.json({ limit: MAX_BODY }), express.urlencoded({ extended: false, limit: MAX_BODY }));
  app.use([`${account}/Call`, `${account}/Request`], faultInjection(faults, fail));
  const resources = [
    restAccount(authId),
    restCalls(carrier, held, authId),
    restApplications(held, authId),
    restNumbers(held, authId),
  ];
  for (const resource of resources) app.use(account, resource, wrongMethods(resource));
  app.use((_request, response) => fail(response, 404, NOT_FOUND));
  app.use(answerErrors(fail));
  return app;
}

/** The account itself, read-only. @see carrier reference 1.1 */
function restAccount(authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });
  const account: RequestHandler = (_request, response) =>
    send(response, 200, {
      auth_id: authId,
      name: 'Sandbox',
      account_type: 'standard',
      billing_mode: 'prepaid',
      auto_recharge: false,
      cash_credits: '0.00000',
      address: '',
      city: '',
      state: '',
      timezone: 'UTC',
      resource_uri: `/v1/Account/${authId}/`,
    });
  api.get('/', account);
  api.get('//', account); // the carrier's client library writes two slashes
  return api;
}

/** Answers 405 for the paths of `api` when they are asked with a method it does not have there. */
function wrongMethods(api: Router): Router {
  const allowed = new Map<string, Set<string>>();
  for (const { route } of api.stack) {
    if (!route) continue;
    const methods = allowed.get(route.path) ?? new Set();
    for (const { method } of route.stack) methods.add(method.toUpperCase());
    allowed.set(route.path, methods);
  }
  const refusals = Router({ strict: true, caseSensitive: true });
  for (const [path, methods] of allowed) {
    // A path without its slash is answered where a client needs it, and is no path of the carrier otherwise.
    if (!path.endsWith('/')) continue;
    refusals.all(path, (request, response) => {
      response.set('allow', [...methods].sort().join(', '));
      fail(response, 405, `method ${request.method} is not allowed here`);
    });
  }
  return refusals;
}
