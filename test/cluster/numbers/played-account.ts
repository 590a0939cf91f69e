import type { NumberRouting } from '../../../src/call/number-routing.js';
import { daily } from '../../../src/providers/daily/provider.js';
import type { LeaseAccount } from '../../../src/runner/numbers/lease-entry.js';
import { RateLimits } from '../../../src/sandbox/rooms/rate-limits.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js';
import { CARRIERS, type PlayedCarrier } from '../../carriers/conformance/carriers.js';
import { WriteCounter } from '../../runner/numbers/write-counter.js';
import { NUMBER, routingAt, secretOf } from './provider-access.js';

/** At the room provider it is in the array of the domain. */
export const LEGACY_NUMBER = '+12025550111';
/** It has no setting. */
export const BARE_NUMBER = '+12025550112';

const ROOMS_KEY = 'room-api-key-of-the-tests';
/** When something was last changed, and what an answer is called. */
const OF_EVERY_ANSWER = /"(?:api_id|date_updated|updated_at)":"[^"]*",?/g;

/** Everyone whose numbers can be held. */
export type ProviderName = PlayedCarrier['name'] | typeof daily.name;
export const PROVIDERS: readonly ProviderName[] = [...CARRIERS.map(({ name }) => name), daily.name];

/** A test asks far more often than a person does. */
export class NoLimits extends RateLimits {
  override take(): void {}
}

/** An account at a provider that the sandbox plays; whatever changes it passes a counter, which may stop it. */
export class PlayedAccount implements AsyncDisposable {
  static async open(name: ProviderName): Promise<PlayedAccount> {
    const played = CARRIERS.find((one) => one.name === name) ?? (CARRIERS[0] as PlayedCarrier);
    const sandbox = await startSandbox({
      ...played.account,
      phoneToken: 'phone-token-of-the-tests',
      rooms: { apiKey: ROOMS_KEY, rateLimits: new NoLimits() },
    });
    const apiUrl = name === daily.name ? sandbox.roomsApiUrl : sandbox.apiUrl;
    const opened = new PlayedAccount(name, played, sandbox, apiUrl, await WriteCounter.start(new URL(apiUrl).origin));
    if (name === daily.name) await opened.#furnishRooms();
    return opened;
  }

  readonly account: LeaseAccount;

  private constructor(
    readonly name: ProviderName,
    private readonly played: PlayedCarrier,
    private readonly sandbox: Sandbox,
    private readonly apiUrl: string,
    readonly writes: WriteCounter,
  ) {
    this.account = { provider: name, id: '0123456789abcdef', apiUrl: 'http://127.0.0.1:1/v1' };
  }

  /** What a process needs to open the account. */
  get credentials(): Record<string, unknown> {
    const apiUrl = this.writes.url + new URL(this.apiUrl).pathname;
    return this.#isRooms ? { apiKey: ROOMS_KEY, apiUrl } : { ...this.played.credentials(apiUrl) };
  }

  routing(): Promise<NumberRouting> {
    return routingAt(this.name, this.credentials);
  }

  /** Where calls to a number go. */
  async answeredAt(number: string = NUMBER): Promise<string | undefined> {
    const routing = await this.routing();
    try {
      return (await routing.list()).find((one) => one.number === number)?.webhookUrl;
    } finally {
      await routing.close();
    }
  }

  /** All that the provider keeps of numbers, byte for byte, but for what every answer has anew. */
  async stored(): Promise<string[]> {
    return Promise.all(
      this.#stores.map(async (path) => (await this.#ask('GET', path)).replaceAll(OF_EVERY_ANSWER, '')),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.writes[Symbol.asyncDispose]();
    await this.sandbox.close();
  }

  get #isRooms(): boolean {
    return this.name === daily.name;
  }

  get #stores(): readonly string[] {
    const { authId } = this.played.account;
    switch (this.name) {
      case 'plivo':
        return [`/Account/${authId}/Number/`, `/Account/${authId}/Application/`];
      case 'twilio':
        return ['IncomingPhoneNumbers', 'Applications'].map((of) => `/Accounts/${authId}/${of}.json?PageSize=100`);
      case 'telnyx':
        return ['phone_numbers', 'texml_applications'].map((of) => `/${of}?page[size]=100`);
      default:
        return ['/', '/domain-dialin-config?limit=100'];
    }
  }

  async #ask(method: string, path: string, fields?: object): Promise<string> {
    const { authId, authToken } = this.played.account;
    const basic = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
    const bearer = this.#isRooms ? ROOMS_KEY : authToken;
    const authorization = this.#isRooms || this.name === 'telnyx' ? `Bearer ${bearer}` : basic;
    const answer = await fetch(this.apiUrl + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(fields && { body: JSON.stringify(fields) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  }

  async #furnishRooms(): Promise<void> {
    const entry = (number: string) => ({
      phone_number: number,
      room_creation_api: `http://127.0.0.1:9/of-${number.slice(-4)}`,
      name_prefix: `desk ${number.slice(-4)}`,
      hmac: secretOf(number),
    });
    await this.#ask('POST', '/', { properties: { pinless_dialin: ['+12025550113', LEGACY_NUMBER].map(entry) } });
    for (const number of [NUMBER, '+12025550114']) {
      await this.#ask('POST', '/domain-dialin-config', { type: 'pinless_dialin', ...entry(number) });
    }
  }
}
