// Atrium from its own side: its API and its webhooks, in front of the rooms that voicebot's sandbox has.
import { randomBytes } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { signatureHeaders } from './signature.js';

/** @type {import('voicebot/testing').RoomsSandbox['newKey']} */
export const newKey = () => `atrium_${randomBytes(16).toString('hex')}`;

/** @type {import('voicebot/testing').RoomsSandbox['face']} */
export const face = ({ apiKey, daily }) => ({
  restApi(request, response) {
    answer(request, apiKey, daily).then(
      ([status, body]) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      () => response.writeHead(500).end('{}'),
    );
  },
  webhook({ callId, callDomain, From, To }, secret, now) {
    const told = callId
      ? { event: 'caller.held', held: { id: callId, lobby: callDomain, from: From, to: To } }
      : { event: 'ping', number: To };
    const body = Buffer.from(JSON.stringify(told));
    return { headers: signatureHeaders(body, secret, now), body };
  },
});

/**
 * @typedef {[status: number, body: object]} Answer
 * @typedef {import('voicebot/testing').RoomsFaceOptions['daily']} AskDaily
 * @typedef {(asked: { daily: AskDaily, names: string[], fields: Record<string, any> }) => Promise<Answer>} Route
 */

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {string} apiKey
 * @param {AskDaily} daily
 * @returns {Promise<Answer>}
 */
async function answer(request, apiKey, daily) {
  const { method = '', url = '', headers } = request;
  if (headers['x-atrium-key'] !== apiKey) return [401, { error: 'unknown key' }];
  const hasBody = method === 'POST' || method === 'PUT';
  const fields = hasBody ? /** @type {Record<string, any>} */ (await json(request)) : {};
  for (const [pattern, route] of ROUTES) {
    const found = pattern.exec(`${method} ${url}`);
    if (found) return route({ daily, names: found.slice(1).map((name) => decodeURIComponent(name)), fields });
  }
  return [404, { error: 'unknown path' }];
}

/**
 * What went well, in Atrium's words; a refusal as it is.
 * @param {ReturnType<AskDaily>} asking
 * @param {(fields: Record<string, any>) => object} [words]
 * @returns {Promise<Answer>}
 */
async function passedOn(asking, words = () => ({})) {
  const { status, fields } = await asking;
  return status < 300 ? [200, words(fields)] : [status, { error: fields.info ?? 'refused' }];
}

/** @param {string} until */
const seconds = (until) => Math.floor(Date.parse(until) / 1_000);

/** @param {Record<string, any>} room */
const spaceOf = ({ name, url, config }) => {
  const { endpoint, extra_endpoints: extra = [] } = config.sip_uri ?? {};
  const lines = endpoint ? [endpoint, ...extra].map((/** @type {string} */ one) => `sip:${one}`) : [];
  return { name, link: url, dials: config.enable_dialout === true, lines };
};

/** @type {Array<[RegExp, Route]>} */
const ROUTES = [
  [
    /^POST \/spaces$/,
    ({ daily, fields: { name, until, line, dials, alone } }) => {
      const idling = { max_idle_timeout_sec: alone };
      const sip = line && {
        display_name: line.shows,
        video: false,
        sip_mode: 'dial-in',
        num_endpoints: 1,
        dialin_config: idling,
      };
      const properties = {
        exp: seconds(until),
        eject_at_room_exp: true,
        ...(dials && { enable_dialout: true, dialout_config: idling }),
        ...(sip && { sip }),
      };
      const made = daily({ method: 'POST', path: '/rooms', fields: { name, privacy: 'private', properties } });
      return passedOn(made, (room) => ({ space: spaceOf(room) }));
    },
  ],
  [
    /^GET \/spaces\/([\w-]+)$/,
    async ({ daily, names: [name] }) => {
      const { fields: people } = await daily({ method: 'GET', path: `/rooms/${name}/presence` });
      const found = daily({ method: 'GET', path: `/rooms/${name}` });
      return passedOn(found, (room) => ({ space: { ...spaceOf(room), people: people.total_count ?? 0 } }));
    },
  ],
  [
    /^DELETE \/spaces\/([\w-]+)$/,
    ({ daily, names: [name] }) => passedOn(daily({ method: 'DELETE', path: `/rooms/${name}` })),
  ],
  [
    /^POST \/spaces\/([\w-]+)\/people\/remove$/,
    ({ daily, names: [name], fields: { person } }) =>
      passedOn(
        daily({ method: 'POST', path: `/rooms/${name}/eject`, fields: { user_ids: [person] } }),
        ({ ejectedIds }) => ({ removed: ejectedIds }),
      ),
  ],
  [
    /^POST \/spaces\/([\w-]+)\/calls\/([\w-]+)\/hangup$/,
    ({ daily, names: [name, sessionId] }) =>
      passedOn(daily({ method: 'POST', path: `/rooms/${name}/dialOut/stop`, fields: { sessionId } })),
  ],
  [
    /^POST \/passes$/,
    ({ daily, fields: { space, host, until, person } }) => {
      const properties = { room_name: space, is_owner: host, exp: seconds(until), ...(person && { user_id: person }) };
      const made = daily({ method: 'POST', path: '/meeting-tokens', fields: { properties } });
      return passedOn(made, ({ token }) => ({ pass: token }));
    },
  ],
  [
    /^POST \/held\/([\w-]+)\/connect$/,
    ({ daily, names: [callId], fields: { lobby: callDomain, line: sipUri } }) =>
      passedOn(daily({ method: 'POST', path: '/dialin/pinlessCallUpdate', fields: { callId, callDomain, sipUri } })),
  ],
  [
    /^GET \/numbers$/,
    async ({ daily }) => {
      const { fields: listed } = await daily({ method: 'GET', path: '/purchased-phone-numbers?limit=100' });
      const configs = await configsIn(daily);
      const numbers = /** @type {Array<{ number: string }>} */ (listed.data).map(({ number }) => {
        const config = configs.find((one) => one.config.phone_number === number)?.config;
        return { number, webhook: config ? { url: config.room_creation_api, secret: config.hmac } : null };
      });
      return [200, { numbers }];
    },
  ],
  [
    /^PUT \/numbers\/([^/]+)\/webhook$/,
    async ({ daily, names: [number], fields: { url, secret } }) => {
      const config = (await configsIn(daily)).find((one) => one.config.phone_number === number);
      const fields = { phone_number: number, room_creation_api: url, ...(secret && { hmac: secret }) };
      return passedOn(
        config
          ? daily({ method: 'PUT', path: `/domain-dialin-config/${config.id}`, fields })
          : daily({ method: 'POST', path: '/domain-dialin-config', fields: { type: 'pinless_dialin', ...fields } }),
      );
    },
  ],
  [
    /^DELETE \/numbers\/([^/]+)\/webhook$/,
    async ({ daily, names: [number] }) => {
      const config = (await configsIn(daily)).find((one) => one.config.phone_number === number);
      return config ? passedOn(daily({ method: 'DELETE', path: `/domain-dialin-config/${config.id}` })) : [200, {}];
    },
  ],
];

/**
 * @param {AskDaily} daily
 * @returns {Promise<Array<{ id: string, config: { phone_number?: string, room_creation_api: string, hmac: string } }>>}
 */
async function configsIn(daily) {
  const { fields } = await daily({ method: 'GET', path: '/domain-dialin-config?limit=100' });
  return /** @type {any} */ (fields.data);
}
