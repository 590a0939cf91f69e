import express, { type Express } from 'express';
import { isSameSecret } from '../../base/secret.js';
import type { AccountCalls } from '../carrier/face.js';
import { faultInjection, type SandboxFaults } from '../carrier/faults.js';
import { answerErrors } from '../carrier/rest-errors.js';
import type { PlivoAccount } from './account.js';
import { restAccount } from './rest-account.js';
import { fail } from './rest-answer.js';
import { restApplications } from './rest-applications.js';
import { restCalls } from './rest-calls.js';
import { wrongMethods } from './rest-methods.js';
import { restNumbers } from './rest-numbers.js';

/** Four addresses of a dialled call may each carry 16 KiB of custom data. */
const MAX_BODY = '128kb';

const NOT_FOUND =
  'not found: paths are case-sensitive and end in a slash, and docs/sandbox.md says which of them the sandbox plays';

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
