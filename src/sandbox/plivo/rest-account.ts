import { type RequestHandler, Router } from 'express';
import { send } from './rest-answer.js';

/** The account itself, read-only. @see carrier reference 1.1 */
export function restAccount(authId: string): Router {
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
