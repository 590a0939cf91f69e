import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Account, botEnvironmentOf } from '../../../src/assembly/account.js';
import { pointSandboxNumber } from '../../../src/assembly/sandbox-number.js';
import { daily } from '../../../src/providers/daily/provider.js';
import type { CarrierName } from '../../../src/providers/registry/carrier-names.js';
import { carrierByName } from '../../../src/providers/registry/carriers.js';
import { newAccountAt } from '../../../src/sandbox/extension-side.js';

import type { SandboxReplyMessage } from '../../../src/sandbox/sandbox-child.js';
import { ANY_HOUR } from '../../any-hour.js';

const MAIN = fileURLToPath(new URL('../../../dist/sandbox/main.js', import.meta.url));
const ROOMS_KEY = 'rooms-key-of-the-rig';

type Listening = Extract<SandboxReplyMessage, { type: 'listening' }>;

export interface SandboxProcessOptions {
  readonly transport: 'carrier' | 'rooms';
  readonly carrier: CarrierName;
}

/** The phone network in a process of its own, and the account that the runners have there. */
export class SandboxProcess implements AsyncDisposable {
  static async start({ transport, carrier }: SandboxProcessOptions): Promise<SandboxProcess> {
    const child = fork(MAIN, { execArgv: [] });
    const { publicKey, ...keys } = await newAccountAt(carrier);
    const phoneToken = randomBytes(16).toString('hex');
    const isForRooms = transport === 'rooms';
    const options = { ...keys, carrier, phoneToken, ...(isForRooms && { rooms: { apiKey: ROOMS_KEY } }) };
    child.send({ type: 'start', expectsRooms: isForRooms, options });
    const [reply] = (await once(child, 'message')) as [SandboxReplyMessage];
    if (reply.type === 'failed') throw new Error(reply.message);
    const { apiUrl, roomsApiUrl, number: phoneNumber } = reply;
    const credentials = { authId: keys.authId, authToken: keys.authToken, publicKey, apiUrl };
    const account: Account = isForRooms
      ? { kind: 'rooms', roomProvider: daily, phoneNumber, credentials: { apiKey: ROOMS_KEY, apiUrl: roomsApiUrl } }
      : { kind: 'carrier', phoneNumber, carrier: carrierByName(carrier), credentials };
    return new SandboxProcess(child, reply, phoneToken, account);
  }

  /** Signs the room provider's webhooks. */
  readonly #roomsSecret = randomBytes(32).toString('base64');

  private constructor(
    private readonly child: ChildProcess,
    private readonly reply: Listening,
    readonly phoneToken: string,
    readonly account: Account,
  ) {}

  get url(): string {
    return this.reply.url;
  }

  get number(): string {
    return this.reply.number;
  }

  /** Of the provider that it plays. */
  get apiUrl(): string {
    return this.account.credentials.apiUrl;
  }

  /** What a runner needs of the account, as environment variables. @param apiUrl by which it reaches the provider */
  environment(apiUrl = this.apiUrl): Record<string, string> {
    const isForRooms = this.account.kind === 'rooms';
    const account = { ...this.account, credentials: { ...this.account.credentials, apiUrl } } as Account;
    return {
      ...botEnvironmentOf(account, this.number),
      ...(isForRooms && { ROOMS_WEBHOOK_SECRET: this.#roomsSecret }),
      ...ANY_HOUR,
    };
  }

  /** Sends the calls to the account's number there. @param publicUrl of the runners */
  async pointNumberAt(publicUrl: string): Promise<void> {
    const dialinUrl = `${publicUrl}/rooms-dialin-webhook`;
    const urls =
      this.account.kind === 'rooms'
        ? { answerUrl: dialinUrl, hangupUrl: dialinUrl }
        : { answerUrl: `${publicUrl}/answer`, hangupUrl: `${publicUrl}/hangup` };
    await pointSandboxNumber(this.account, this.number, urls, this.#roomsSecret);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}
