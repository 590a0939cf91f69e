import { isFields, ProviderRequestError, unknownNumber, VoicebotError } from 'voicebot/provider';
import { openApi, unreadable } from './api.js';

/** What the runner calls the address at which it is told of held callers. */
const OUR_PATH = /\/rooms-dialin-webhook$/;

/**
 * Where the calls to a number are told, and what signs that, where the account shows it.
 * @typedef {{ url: string, secret: string | undefined }} Webhook
 */

/**
 * @param {import('voicebot/provider').RestClient} api
 * @param {AbortSignal} [signal]
 * @returns {Promise<Array<{ number: string, webhook: Webhook | undefined }>>}
 */
export async function listNumbers(api, signal) {
  const what = 'listing the numbers';
  const { fields } = await api.request(what, { method: 'GET', path: '/numbers' }, signal);
  if (!Array.isArray(fields?.numbers)) throw unreadable(what, 'a list');
  return fields.numbers
    .filter(isFields)
    .map(({ number, webhook }) => {
      const { url, secret } = isFields(webhook) ? webhook : {};
      const isShown = typeof secret === 'string' && secret !== '';
      return {
        number: String(number),
        webhook: url ? { url: String(url), secret: isShown ? secret : undefined } : undefined,
      };
    })
    .sort((a, b) => (a.number < b.number ? -1 : 1));
}

/**
 * A number has one webhook, which is replaced as a whole.
 * @typedef {import('voicebot/provider').NumberRouting} NumberRouting
 * @implements {NumberRouting}
 */
export class AtriumNumbers {
  /** @type {import('voicebot/provider').RestClient} */
  #api;

  /** @param {import('voicebot/provider').RoomsCredentials} credentials */
  constructor(credentials) {
    this.#api = openApi(credentials);
  }

  /** @type {import('voicebot/provider').NumberRouting['list']} */
  async list(signal) {
    return (await listNumbers(this.#api, signal)).map(routeOf);
  }

  /** @type {import('voicebot/provider').NumberRouting['plan']} */
  async plan({ number, urls, leaseId, secret, isOldAddress }, signal) {
    const numbers = await listNumbers(this.#api, signal);
    const found = numbers.find((one) => one.number === number);
    if (!found) {
      const known = numbers.map((one) => one.number);
      throw unknownNumber(number, known, 'ROOMS_PHONE_NUMBER', "buy a number in Atrium's dashboard");
    }
    const { webhook } = found;
    if (webhook && webhook.secret === undefined) {
      throw new VoicebotError('VB_REGISTRATION_FAILED', `${number} has a secret that Atrium does not show`, {
        hint: 'it could not be put back: remove the webhook of the number first',
      });
    }
    const before = webhook && isOldAddress(webhook.url) ? { staleUrl: webhook.url } : { webhook };
    return { change: { number, leaseId, urls: [urls], secret, before }, route: routeOf(found) };
  }

  /** @type {import('voicebot/provider').NumberRouting['apply']} */
  async apply({ number, urls, secret }, signal) {
    const before = await this.#webhookOf(number, signal);
    await this.#set(number, { url: urls.at(-1)?.answerUrl ?? '', secret: secret ?? before?.secret ?? '' }, signal);
  }

  /** @type {import('voicebot/provider').NumberRouting['verify']} */
  async verify({ number, urls, secret }, signal) {
    const webhook = await this.#webhookOf(number, signal);
    const wanted = urls.at(-1)?.answerUrl;
    if (webhook?.url !== wanted)
      return `calls to ${number} are told at ${webhook?.url ?? 'no address'} and not at ${wanted}`;
    const isOther = secret !== undefined && webhook?.secret !== secret;
    return isOther ? `the webhooks of ${number} are signed with another secret than ours` : undefined;
  }

  /** @type {import('voicebot/provider').NumberRouting['undo']} */
  async undo({ number, urls, secret, before }, signal) {
    const { webhook: former, staleUrl } = /** @type {{ webhook?: Webhook, staleUrl?: string }} */ (before);
    const webhook = await this.#webhookOf(number, signal);
    if (webhook?.url === former?.url && webhook?.secret === former?.secret) return 'unchanged';
    if (!webhook) return 'nothing_to_restore';
    const isOurs = [...urls.map(({ answerUrl }) => answerUrl), staleUrl].includes(webhook.url);
    const isHalf = webhook.url === former?.url && webhook.secret === secret;
    if (!isOurs && !isHalf) return 'foreign';
    await this.#set(number, former, signal);
    const after = await this.#webhookOf(number, signal);
    if (after?.url !== former?.url || after?.secret !== former?.secret) {
      throw new ProviderRequestError('VB_ROOMS_REQUEST_FAILED', 'afterwards the webhook was not what was asked for', {
        hint: 'see whether another program changes the webhooks of this account',
        mayBeDone: true,
      });
    }
    return staleUrl === undefined ? 'restored' : 'nothing_to_restore';
  }

  close() {
    return this.#api.close();
  }

  /** @param {string} number @param {AbortSignal} [signal] */
  async #webhookOf(number, signal) {
    return (await listNumbers(this.#api, signal)).find((one) => one.number === number)?.webhook;
  }

  /** @param {string} number @param {Webhook | undefined} webhook @param {AbortSignal} [signal] */
  async #set(number, webhook, signal) {
    const path = `/numbers/${encodeURIComponent(number)}/webhook`;
    const request = webhook
      ? /** @type {const} */ ({ method: 'PUT', path, fields: webhook })
      : /** @type {const} */ ({ method: 'DELETE', path });
    await this.#api.request('pointing the number', request, signal);
  }
}

/** @param {{ number: string, webhook: Webhook | undefined }} number */
const routeOf = ({ number, webhook }) => ({
  number,
  webhookUrl: webhook?.url,
  heldBy: webhook && 'a webhook',
  isOurs: webhook !== undefined && URL.canParse(webhook.url) && OUR_PATH.test(new URL(webhook.url).pathname),
});
