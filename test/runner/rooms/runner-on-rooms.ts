import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { RoomNews } from '../../../src/call/runner-link.js';
import { webhookDigest } from '../../../src/providers/daily/signature.js';
import type { RunnerOptions } from '../../../src/runner/runner-options.js';
import { until } from '../../e2e/processes.js';
import { type Answer, send } from '../hand-carrier.js';
import { RunnerUnderTest } from '../runner-under-test.js';
import { HandRooms, type RoomBot, roomsAccess, WEBHOOK_SECRET } from './hand-rooms.js';

export const roomPuppet = fileURLToPath(new URL('bots/room-puppet.mjs', import.meta.url));

export const CALLER = '+12025550142';
export const OWN_NUMBER = '+12025550100';
export const CALLEE = '+12025550101';

export interface WebhookOptions {
  /** base64 */
  secret?: string;
  /** When it was signed, milliseconds since the epoch. */
  signedAt?: number;
  isSigned?: boolean;
  /** Default `/rooms-dialin-webhook`. */
  path?: string;
}

/** What the provider says of a call. */
export const callFields = (callId: string, more: object = {}) => ({
  From: CALLER,
  To: OWN_NUMBER,
  callId,
  callDomain: 'domain-of-the-account',
  ...more,
});

/** A runner with a bot that does as it is told in its room, and the provider whose rooms these are. */
export class RunnerOnRooms extends RunnerUnderTest {
  readonly #isOurs: boolean;

  /** @param rooms where the runner's rooms are; ended by the test. Default: new ones */
  static async serve(options: Partial<RunnerOptions> = {}, rooms?: HandRooms): Promise<RunnerOnRooms> {
    const served = new RunnerOnRooms(rooms ?? (await HandRooms.start()), !rooms, options);
    await served.runner.start();
    return served;
  }

  private constructor(
    readonly rooms: HandRooms,
    isOurs: boolean,
    options: Partial<RunnerOptions>,
  ) {
    super({ provider: roomsAccess(rooms.url), botFile: roomPuppet, ...options });
    this.#isOurs = isOurs;
  }

  /** The provider tells of something. */
  webhook(fields: object | string, options?: WebhookOptions): Promise<Answer> {
    return sendWebhook(this.runner.url, fields, options);
  }

  /** A new call, up to its bot's hello. */
  async call(callId: string = randomUUID()): Promise<RoomBot> {
    const { status, body } = await this.webhook(callFields(callId));
    if (status !== 200) throw new Error(`status ${status}: ${body}`);
    return await this.rooms.bot(callId);
  }

  /** The same, connected with its caller. */
  async connectedCall(): Promise<RoomBot> {
    const bot = await this.call();
    await bot.tell(...CONNECTED);
    return bot;
  }

  /** The developer's application has the runner dial, up to the bot's hello. */
  async dial(request: object = { phone_number: CALLEE }): Promise<RoomBot> {
    return await this.rooms.bot(await this.startedCall(request));
  }

  /** A call's record, once it says so. */
  recordOf(call: RoomBot | string, expected: Partial<CallRecord>): Promise<CallRecord> {
    return this.anyRecord({ id: typeof call === 'string' ? call : call.hello.call.id, ...expected });
  }

  /** How the call has ended, once it has. */
  ended(call: RoomBot | string): Promise<CallRecord> {
    return this.recordOf(call, { state: 'ended' });
  }

  async closed(room: string): Promise<void> {
    await until(() => !this.rooms.open.has(room), 'the room is closed');
  }

  /** What the runner was about to ask of the provider has arrived. */
  async everythingArrived(): Promise<void> {
    for (const _ of [1, 2, 3]) await send(`${this.runner.url}/health`);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.#isOurs) await this.rooms[Symbol.asyncDispose]();
  }
}

/** No process has this number. */
const NOBODY = 2 ** 30;

/** Makes the rooms that runners have left look like those of one that has died, and that old: a minute, or as asked for. */
export function disown(stateDirectory: string, { ageMs = 60_000, kind = 'rooms' } = {}): void {
  const folder = join(stateDirectory, kind);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const entry = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...entry, pid: NOBODY, owedAt: Date.now() - ageMs }));
  }
}

/** @param fields an object, or the body as it is sent */
export function sendWebhook(
  runnerUrl: string,
  fields: object | string,
  {
    secret = WEBHOOK_SECRET,
    signedAt = Date.now(),
    isSigned = true,
    path = '/rooms-dialin-webhook',
  }: WebhookOptions = {},
): Promise<Answer> {
  const body = typeof fields === 'string' ? fields : JSON.stringify(fields);
  const timestamp = String(signedAt);
  return send(`${runnerUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(isSigned && {
        'x-pinless-timestamp': timestamp,
        'x-pinless-signature': webhookDigest(secret, timestamp, Buffer.from(body)).toString('base64'),
      }),
    },
    body,
  });
}

/** What a bot tells when the call that it has dialled is answered. */
export const ANSWERED: readonly RoomNews[] = [
  { type: 'joined' },
  { type: 'dialled', sessionId: 'session-1' },
  { type: 'ringing' },
  { type: 'connected' },
];

/** What a bot tells until its caller hears it. */
export const CONNECTED: readonly RoomNews[] = [{ type: 'joined' }, { type: 'forwarded' }, { type: 'connected' }];
