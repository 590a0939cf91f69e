import {
  ApplicationRouting,
  ApplicationsApi,
  addressHints,
  isFields,
  listObjects,
  namesOf,
  normalisePhoneNumber,
  ProviderRequestError,
  RestClient,
  shownText,
  statusText,
  VoicebotError,
} from 'voicebot/provider';
import { signInOf } from './carrier.js';

/** @param {unknown} value @returns {value is string} */
const isIdentifier = (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value);

/** @param {string} id */
function checked(id) {
  if (isIdentifier(id)) return id;
  throw new VoicebotError('VB_IDENTIFIER_INVALID', 'the identifier must be 1 to 64 letters, digits, "-" or "_"');
}

/**
 * Fact 6.
 * @type {import('voicebot/provider').ApplicationDialect}
 */
const APPLICATIONS = {
  answers: {
    objects: 'objects',
    maxPages: 500,
    query: (_page, before) => ({ limit: '20', offset: String(before) }),
    goesOn: ({ meta }) => isFields(meta) && Boolean(meta.next),
  },
  path: 'Application/',
  pathOf: (id) => `Application/${checked(id)}/`,
  isIdentifier,
  filterOf: (name) => ({ app_name: name }),
  idField: 'app_id',
  nameField: 'app_name',
  addressFields: {
    answer: ['answer_url', 'answer_method'],
    hangup: ['hangup_url', 'hangup_method'],
    fallback: ['fallback_answer_url', 'fallback_method'],
  },
  written: (address) => address,
};

/**
 * Fact 5.
 * @type {import('voicebot/provider').AnswerForm}
 */
const NUMBERS = {
  objects: 'items',
  maxPages: 500,
  query: (page) => ({ page: String(page), per_page: '100' }),
  goesOn: ({ total }, page) => Number(total) > page * 100,
};

/** The numbers of a Vobiz account, and the applications that they are attached to. */
class VobizNumbersApi extends ApplicationsApi {
  /** @param {import('voicebot/provider').RestClient} api */
  constructor(api) {
    super(api, APPLICATIONS);
  }

  /** @param {AbortSignal} [signal] */
  async numbers(signal) {
    const items = await listObjects(this.api, NUMBERS, 'listing the numbers', 'numbers', {}, signal);
    return items.map(readNumber).sort((a, b) => (a.number < b.number ? -1 : 1));
  }

  /** One number alone cannot be asked for. @param {string} number @param {AbortSignal} [signal] */
  async number(number, signal) {
    return (await this.numbers(signal)).find((one) => one.number === number);
  }

  /** A trunk goes by a UUID, an application by digits. @param {string} number @param {{ id: string }} link @param {AbortSignal} [signal] */
  async attach(number, { id }, signal) {
    const [path, fields] = checked(id).includes('-')
      ? ['assign', { trunk_group_id: id }]
      : ['application', { application_id: id }];
    await this.api.request(
      'attaching the number',
      { method: 'POST', path: `numbers/${encodeURIComponent(number)}/${path}`, fields, repeat: 'always' },
      signal,
    );
  }

  /** @param {string} number @param {AbortSignal} [signal] */
  async detach(number, signal) {
    const path = `numbers/${encodeURIComponent(number)}/application`;
    await this.api.request('detaching the number', { method: 'DELETE', path }, signal);
  }

  /** @param {string} _id @param {Partial<import('voicebot/provider').CallAddresses>} change */
  async changing(_id, change) {
    return /** @type {const} */ ({ method: 'POST', fields: this.written(change), repeat: 'always' });
  }
}

/** @param {import('voicebot/provider').JsonFields} fields */
function readNumber({ e164, application_id: application, trunk_group_id: trunk, voice_enabled: takesCalls }) {
  /** @type {import('voicebot/provider').NumberLink | undefined} */
  let link;
  if (isIdentifier(application)) link = { kind: 'application', id: application };
  else if (isIdentifier(trunk)) link = { kind: 'trunk', id: trunk };
  return {
    number: normalisePhoneNumber(String(e164 ?? '')),
    link,
    takesCalls: typeof takesCalls === 'boolean' ? takesCalls : undefined,
  };
}

/** @param {import('voicebot/provider').CarrierCredentials} credentials */
export async function createVobizNumberRouting(credentials) {
  const { authId, authToken, apiUrl } = credentials;
  const names = namesOf(credentials);
  if (!authId || !authToken) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'Vobiz needs an auth id and an auth token', {
      hint: `set ${names.signIn}`,
    });
  }
  const api = new RestClient(
    {
      base: `${apiUrl.replace(/\/+$/, '')}/Account/${checked(authId)}/`,
      authorization: '', // Vobiz signs in by headers of its own
      repeats: { times: 3 },
      codes: { failed: 'VB_CARRIER_REQUEST_FAILED', unreachable: 'VB_CARRIER_UNREACHABLE' },
      ...addressHints(names),
      refusal(what, { status, text: answer, retryAfterMs }, _request, mayBeDone) {
        const text = shownText(answer, [authToken]);
        const isSignIn = status === 401 || status === 403;
        return new ProviderRequestError(
          isSignIn ? 'VB_CREDENTIALS_REFUSED' : 'VB_CARRIER_REQUEST_FAILED',
          statusText(what, status, text),
          { status, text, mayBeDone, retryAfterMs, ...(isSignIn && { hint: `check ${names.signIn}` }) },
        );
      },
    },
    { signIn: signInOf(credentials) },
  );
  return new ApplicationRouting(new VobizNumbersApi(api), names);
}
