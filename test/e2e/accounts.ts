import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RateLimits } from '../../src/sandbox/rooms/rate-limits.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js';
import { TunnelServer } from '../runner/tunnel/tunnel-server.js';
import { AUTH_ID, AUTH_TOKEN, CALLER, FakeCaller, PHONE_TOKEN } from '../sandbox/fake-caller.js';

export const ROOMS_KEY = 'room-api-key-of-the-account';
/** Ten numbers, which both accounts have. */
const NUMBERS = ['+12025550100', ...Array.from({ length: 9 }, (_, n) => `+1202555011${n + 1}`)];
/** At the carrier it shares its application with two others; the room provider has no setting for it, and would be asked first. */
export const SHARED_NUMBER = '+12025550119';
/** Numbers of the room account by where their setting is. */
export const ROOM_NUMBERS = { own: '+12025550100', legacy: '+12025550116', none: SHARED_NUMBER } as const;

const secretOf = (number: string) => Buffer.from(`secret of ${number}, long enough`).toString('base64');

/** A test asks far more often than a person does. */
class NoLimits extends RateLimits {
  override take(): void {}
}

/**
 * The accounts of somebody with a business, at providers that the sandbox plays, and a tunnel server on this machine: ten
 * numbers, an application that three of them share, and nine dial-in settings with secrets.
 */
export class Accounts implements AsyncDisposable {
  /** @param shared a tunnel server that others have too: it is theirs to stop. Default: one of its own */
  static async open(shared?: TunnelServer): Promise<Accounts> {
    const sandbox = await startSandbox({
      authId: AUTH_ID,
      authToken: AUTH_TOKEN,
      phoneToken: PHONE_TOKEN,
      rooms: { apiKey: ROOMS_KEY, rateLimits: new NoLimits() },
    });
    const accounts = new Accounts(
      sandbox,
      shared ?? (await TunnelServer.start()),
      mkdtempSync(join(tmpdir(), 'voicebot-account-')),
      shared,
    );
    await accounts.#furnish();
    return accounts;
  }

  private constructor(
    readonly sandbox: Sandbox,
    public tunnels: TunnelServer,
    /** State directory, and where commands run. */
    readonly home: string,
    private readonly shared: TunnelServer | undefined,
  ) {}

  /** What a command finds in its environment. */
  environment(number: string = SHARED_NUMBER): Record<string, string> {
    return {
      CARRIER_AUTH_ID: AUTH_ID,
      CARRIER_AUTH_TOKEN: AUTH_TOKEN,
      CARRIER_API_URL: this.sandbox.apiUrl,
      CARRIER_PHONE_NUMBER: number,
      ROOMS_API_KEY: ROOMS_KEY,
      ROOMS_API_URL: this.sandbox.roomsApiUrl,
      ROOMS_PHONE_NUMBER: number,
      VOICEBOT_TUNNEL: 'localtunnel',
      VOICEBOT_TUNNEL_SERVER: this.tunnels.url,
    };
  }

  /** Everything both providers have stored, byte for byte as they tell it, in pieces; only what differs in every answer is left out. */
  async stored(): Promise<string[]> {
    const carrier = ['Application/?limit=20', 'Number/?limit=20'].map((path) => this.#carrier('GET', path));
    const rooms = ['/', '/domain-dialin-config?limit=100', '/purchased-phone-numbers?limit=100'];
    const answers = await Promise.all([...carrier, ...rooms.map((path) => this.#rooms('GET', path))]);
    return answers.flatMap((text) => text.replaceAll(/"api_id":"[^"]*",?/g, '').split(/(?<=\},)(?=\{)/));
  }

  /** Names of the rooms that there are. */
  async rooms(): Promise<string[]> {
    const { data } = JSON.parse(await this.#rooms('GET', '/rooms?limit=100'));
    return data.map(({ name }: { name: string }) => name);
  }

  /** Somebody calls a number. */
  async call(number: string = SHARED_NUMBER): Promise<FakeCaller> {
    const caller = await FakeCaller.attach(this.sandbox);
    caller.client.dial({ from: CALLER, to: number });
    return caller;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.tunnels !== this.shared) await this.tunnels.stop();
    await this.sandbox.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  async #furnish(): Promise<void> {
    const apps: Array<[name: string, numbers: readonly string[]]> = [
      ['front-desk', [SHARED_NUMBER, ...NUMBERS.slice(1, 3)]],
      ['shop', NUMBERS.slice(3, 6)],
      ['voicemail', []],
    ];
    for (const [name, numbers] of apps) {
      const urls = { answer_url: `http://127.0.0.1:9/${name}`, hangup_url: `http://127.0.0.1:9/${name}/over` };
      const methods = { answer_method: 'GET', hangup_method: 'POST' };
      const { app_id } = JSON.parse(
        await this.#carrier('POST', 'Application/', { app_name: name, ...urls, ...methods }),
      );
      for (const number of numbers) await this.#carrier('POST', `Number/${number.slice(1)}/`, { app_id });
    }
    const entry = (number: string) => ({
      phone_number: number,
      room_creation_api: `http://127.0.0.1:9/rooms/${number.slice(1)}`,
      hmac: secretOf(number),
      name_prefix: `desk ${number.slice(-1)}`,
      timeout_config: { message: 'Nobody can take your call right now.' },
    });
    const [own, legacy] = [NUMBERS.slice(0, 6), NUMBERS.slice(6, 9)];
    for (const number of own) {
      await this.#rooms('POST', '/domain-dialin-config', { type: 'pinless_dialin', ...entry(number) });
    }
    await this.#rooms('POST', '/', { properties: { pinless_dialin: legacy.map(entry) } });
  }

  #carrier(method: string, path: string, fields?: object): Promise<string> {
    const basic = Buffer.from(`${AUTH_ID}:${AUTH_TOKEN}`).toString('base64');
    return ask(`${this.sandbox.apiUrl}/Account/${AUTH_ID}/${path}`, method, `Basic ${basic}`, fields);
  }

  #rooms(method: string, path: string, fields?: object): Promise<string> {
    return ask(this.sandbox.roomsApiUrl + path, method, `Bearer ${ROOMS_KEY}`, fields);
  }
}

async function ask(url: string, method: string, authorization: string, fields?: object): Promise<string> {
  const headers = { authorization, ...(fields && { 'content-type': 'application/json' }) };
  const response = await fetch(url, { method, headers, ...(fields && { body: JSON.stringify(fields) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text;
}
