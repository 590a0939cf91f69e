// Vobiz from its own side: Plivo as the sandbox plays it, with Vobiz's headers, addresses and numbers.
import { randomBytes } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { plivoFace } from 'voicebot/testing';
import { signatureHeaders } from './signature.js';

/** @type {import('voicebot/testing').CarrierSandbox['newAccount']} */
export const newAccount = () => ({
  authId: `MA_${randomBytes(4).toString('hex').toUpperCase()}`,
  authToken: randomBytes(32).toString('hex'),
});

/** @type {import('voicebot/testing').CarrierSandbox['face']} */
export function face(options) {
  const { authId, authToken } = options;
  const { account, ...plivo } = plivoFace(options);
  const { subprotocol: _, ...stream } = plivo.stream;
  const basic = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
  return {
    ...plivo,
    apiPath: '/api/v1',
    signatureOf: ({ url }) => signatureHeaders(url, authToken),
    stream: { ...stream, upgradeHeaders: () => ({}) },
    restApi(calls, faults) {
      const plivosApi = plivo.restApi(calls, faults);
      return async (request, response) => {
        const { headers, url = '' } = request;
        if (headers['x-auth-id'] !== authId || headers['x-auth-token'] !== authToken) {
          return answer(response, 401, { error: 'authentication failed' });
        }
        const numbers = new RegExp(
          `^/api/v1/Account/${authId}/numbers(?:/([^/?]+)/(application|assign))?(?:\\?|$)`,
        ).exec(url);
        if (numbers) return answer(response, ...(await answerNumbers(account, request, numbers[1], numbers[2])));
        request.url = url.replace(/^\/api\/v1/, '/v1');
        headers.authorization = basic;
        return plivosApi(request, response);
      };
    },
  };
}

/**
 * Fact 5: the numbers are where Vobiz is not like Plivo.
 * @param {import('voicebot/testing').PlivoFace['account']} account
 * @param {import('node:http').IncomingMessage} request
 * @param {string | undefined} named
 * @param {string | undefined} action
 * @returns {Promise<[status: number, body: object]>}
 */
async function answerNumbers(account, request, named, action) {
  if (named === undefined) {
    const items = account.numbers.map(({ number, link }) => ({
      e164: number,
      status: 'active',
      voice_enabled: true,
      application_id: link?.kind === 'application' ? link.id : null,
      trunk_group_id: link?.kind === 'trunk' ? link.id : null,
    }));
    return [200, { items, page: 1, per_page: 100, total: items.length }];
  }
  const number = account.number(decodeURIComponent(named));
  if (!number) return [404, { error: 'number not found' }];
  if (request.method === 'DELETE') {
    number.link = undefined;
    return [200, { message: 'Number detached from application' }];
  }
  const { application_id: application, trunk_group_id: trunk } = /** @type {Record<string, string>} */ (
    await json(request)
  );
  const link = account.linkTo(String(action === 'assign' ? trunk : application));
  if (!link) return [404, { error: 'no such application' }];
  number.link = link;
  return [200, { message: 'Number attached to application', number: number.number }];
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {object} body
 */
function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
