/**
 * How a number can be before it is taken, in accounts as people have them: what the provider says depends on it.
 *
 * @typedef {object} AccountAt An account on a sandbox, for requests of its owner.
 * @property {string} apiUrl
 * @property {string} authId
 * @property {string} key the token, or the key
 * @property {string} number that the sandbox of a carrier has set up, E.164
 */

/** One that nothing was ever set for. */
const BARE = '+12025550119';
const SERVICE = 'https://localhost/front-desk?line=1';
const OTHER_SERVICE = 'https://localhost/others';
/** What voicebot calls an application of its own, which another run has left. */
const LEFT_BEHIND = 'voicebot-12025550119-abcdefgh12345678';
const TRUNK = '20255502000000001';
const TRUNK_SID = 'TK20255502000000000000000000000001';
const SIP_CONNECTION_ID = '2293384261075700001';

const OF_PLIVO = {
  answer_url: SERVICE,
  answer_method: 'GET',
  hangup_url: OTHER_SERVICE,
  hangup_method: 'GET',
  fallback_answer_url: OTHER_SERVICE,
  fallback_method: 'GET',
  message_url: OTHER_SERVICE,
};
const OF_TWILIO = {
  VoiceUrl: SERVICE,
  VoiceMethod: 'GET',
  VoiceFallbackUrl: OTHER_SERVICE,
  VoiceFallbackMethod: 'GET',
  StatusCallback: OTHER_SERVICE,
  StatusCallbackMethod: 'GET',
};
const OF_TELNYX = {
  voice_url: SERVICE,
  voice_method: 'get',
  voice_fallback_url: OTHER_SERVICE,
  status_callback: OTHER_SERVICE,
  status_callback_method: 'get',
};
const OF_DAILY = {
  phone_number: BARE,
  room_creation_api: SERVICE,
  hmac: 'c29tZXRoaW5nIG9mIHRoZSBvd25lcg==',
};
const NAME = { name_prefix: 'front desk' };
const MUSIC = { hold_music_url: OTHER_SERVICE };
const MESSAGE = { timeout_config: { message: 'Please call again.' } };

const bare = async () => BARE;

async function onPlivo(account, name, addresses) {
  const { app_id } = await ask(account, 'POST', 'Application/', { app_name: name, ...addresses });
  return onPlivoLink(account, app_id);
}

async function onPlivoLink(account, app_id) {
  await ask(account, 'POST', `Number/${BARE.slice(1)}/`, { app_id, alias: 'the third floor' });
  return BARE;
}

async function onTwilio(account, settings) {
  const { incoming_phone_numbers: numbers } = await ask(account, 'GET', 'IncomingPhoneNumbers.json?PageSize=50');
  const { sid } = numbers.find((one) => one.phone_number === BARE);
  await ask(account, 'POST', `IncomingPhoneNumbers/${sid}.json`, new URLSearchParams(settings));
  return BARE;
}

async function onTelnyx(account, connection_id) {
  const { data } = await ask(account, 'GET', `phone_numbers?filter[phone_number]=${BARE.slice(1)}`);
  const [number] = data;
  await ask(account, 'PATCH', `phone_numbers/${number.id}`, {
    connection_id,
    customer_reference: 'desk 3',
    tags: ['a'],
  });
  return BARE;
}

async function onTelnyxApplication(account, friendly_name, addresses) {
  const { data } = await ask(account, 'POST', 'texml_applications', { friendly_name, ...addresses });
  return onTelnyx(account, data.id);
}

function ownDaily(title, settings) {
  return {
    title,
    provider: 'daily',
    async set(account) {
      await ask(account, 'POST', 'domain-dialin-config', { type: 'pinless_dialin', ...OF_DAILY, ...settings });
      return BARE;
    },
  };
}

function legacyDaily(title, settings) {
  return {
    title,
    provider: 'daily',
    async set(account) {
      await ask(account, 'POST', '', { properties: { pinless_dialin: [{ ...OF_DAILY, ...settings }] } });
      return BARE;
    },
  };
}

/** Each is set up by `set`, which tells the number, E.164. What is unseen, real providers are not compared with: it is for tests. */
export const NUMBERS_BEFORE = [
  { title: 'no application', provider: 'plivo', set: bare },
  {
    title: 'an application without an address',
    provider: 'plivo',
    set: async ({ number }) => number,
  },
  {
    title: 'an application with addresses',
    provider: 'plivo',
    set: (account) => onPlivo(account, 'Front_desk_2', OF_PLIVO),
  },
  {
    title: 'an application of a voicebot that is gone',
    provider: 'plivo',
    set: (account) => onPlivo(account, LEFT_BEHIND, { answer_url: SERVICE }),
  },
  { title: 'a SIP trunk', provider: 'plivo', set: (account) => onPlivoLink(account, TRUNK) },
  { title: 'no address', provider: 'twilio', set: bare },
  {
    title: 'addresses',
    provider: 'twilio',
    set: (account) => onTwilio(account, { ...OF_TWILIO, FriendlyName: 'Front desk 2' }),
  },
  {
    title: 'an application',
    provider: 'twilio',
    async set(account) {
      const fields = new URLSearchParams({ FriendlyName: 'Front desk', ...OF_TWILIO });
      const { sid } = await ask(account, 'POST', 'Applications.json', fields);
      return onTwilio(account, { VoiceApplicationSid: String(sid) });
    },
  },
  { title: 'a SIP trunk', provider: 'twilio', set: (account) => onTwilio(account, { TrunkSid: TRUNK_SID }) },
  { title: 'no connection', provider: 'telnyx', set: bare },
  { title: 'an application without an address', provider: 'telnyx', set: async ({ number }) => number },
  {
    title: 'an application with addresses',
    provider: 'telnyx',
    set: (account) => onTelnyxApplication(account, 'Front desk 2', OF_TELNYX),
  },
  {
    title: 'an application of a voicebot that is gone',
    provider: 'telnyx',
    set: (account) => onTelnyxApplication(account, LEFT_BEHIND, OF_TELNYX),
  },
  {
    title: 'a connection of another kind',
    provider: 'telnyx',
    set: (account) => onTelnyx(account, SIP_CONNECTION_ID),
  },
  { title: 'no settings', provider: 'daily', set: bare },
  ownDaily('settings of its own', {}),
  ownDaily('settings of its own, with all that there is', { ...NAME, ...MUSIC, ...MESSAGE }),
  legacyDaily('settings in the array of the domain', {}),
  legacyDaily('settings in the array of the domain, with all that there is', { ...NAME, ...MUSIC, ...MESSAGE }),
  { ...ownDaily('settings of its own, with a message', MESSAGE), isUnseen: true },
  { ...legacyDaily('settings in the array of the domain, with music', MUSIC), isUnseen: true },
];

/** A request of the owner. */
async function ask({ apiUrl, authId, key }, method, path, fields) {
  const isForm = fields instanceof URLSearchParams;
  const [base, authorization] = signIn(apiUrl, authId, key);
  const answer = await fetch(`${base}/${path}`, {
    method,
    headers: { authorization, ...(!isForm && { 'content-type': 'application/json' }) },
    ...(fields && { body: isForm ? fields : JSON.stringify(fields) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Where the paths of an account begin, and its header. */
function signIn(apiUrl, authId, key) {
  const basic = `Basic ${Buffer.from(`${authId}:${key}`).toString('base64')}`;
  if (apiUrl.includes('rooms')) return [apiUrl, `Bearer ${key}`];
  if (authId.startsWith('MA')) return [`${apiUrl}/Account/${authId}`, basic];
  if (authId.startsWith('AC')) return [`${apiUrl}/Accounts/${authId}`, basic];
  return [apiUrl, `Bearer ${key}`];
}
