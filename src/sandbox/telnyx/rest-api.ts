import express, { type Express } from 'express';
import { isSameSecret } from '../../base/secret.js';
import type { AccountCalls } from '../carrier/face.js';
import { faultInjection, type SandboxFaults } from '../carrier/faults.js';
import { answerErrors } from '../carrier/rest-errors.js';
import type { TelnyxAccount } from './account.js';
import { fail, notFound, send } from './rest-answer.js';
import { restApplications } from './rest-applications.js';
import { restCalls } from './rest-calls.js';
import { restNumbers } from './rest-numbers.js';

/** Several addresses of a dialled call may each carry 16 KiB of custom data. */
const MAX_BODY = '128kb';

export interface TelnyxApiOptions {
  readonly apiKey: string;
  readonly account: TelnyxAccount;
  readonly faults: SandboxFaults;
}

/** The carrier's REST API under `/v2`, as far as the sandbox plays it. @see carrier reference 7.2 */
export function restApi(carrier: AccountCalls, { apiKey, account, faults }: TelnyxApiOptions): Express {
  const app = express().disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.use((request, response, next) => {
    if (isSameSecret(request.get('authorization') ?? '', `Bearer ${apiKey}`)) return next();
    fail(response, 401, 'Could not find any usable credentials in the request.');
  });
  app.use(express.json({ limit: MAX_BODY }), express.urlencoded({ extended: false, limit: MAX_BODY }));
  app.use('/v2/texml/Accounts', faultInjection(faults, fail));
  app.get('/v2/whoami', (_request, response) =>
    send(response, 200, { data: { user_id: account.id, organization_id: account.id, record_type: 'whoami' } }),
  );
  app.use('/v2', restCalls(carrier, account), restApplications(account), restNumbers(account));
  app.use((_request, response) => notFound(response));
  app.use(answerErrors(fail));
  return app;
}
