import type { PhoneAttendance, PhoneCallEnd, PhoneProgress } from '../../src/call/phone-messages.js';
import { PhoneClient, type PhoneClientOptions } from '../../src/sandbox/network/phone-client.js';
import { murmur } from '../../src/sandbox/network/prompt-audio.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.js';
import { Inbox } from './inbox.js';

export const AUTH_ID = 'MATESTTESTTESTTEST00';
export const AUTH_TOKEN = 'test-auth-token';
export const PHONE_TOKEN = 'test-phone-token';
export const CALLER = '+12025550142';

/** A sandbox whose call time passes ten times faster than real time, and whose phones need no time to find their voice. */
export function startFastSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return startSandbox({
    authId: AUTH_ID,
    authToken: AUTH_TOKEN,
    phoneToken: PHONE_TOKEN,
    timing: { tickMs: 2 },
    speech: { speak: async (text) => murmur(text) },
    ...options,
  });
}

export type PhoneEvent =
  | { type: 'ringing' | 'answered' }
  | { type: 'progress'; line: PhoneProgress }
  | { type: 'ended'; end: PhoneCallEnd };

/** A phone that keeps what it hears and what it is told. */
export class FakeCaller implements AsyncDisposable {
  readonly events = new Inbox<PhoneEvent>();
  readonly heard = new Inbox<Uint8Array>();
  /** What it says, given the number of frames heard before. */
  says: (frame: number) => Uint8Array = () => new Uint8Array(160).fill(0xff);
  #client!: PhoneClient;
  #frames = 0;

  /** @param line `token`: of the sandbox's phones; default {@link PHONE_TOKEN} */
  static async attach(
    sandbox: Pick<Sandbox, 'url'>,
    line: Partial<Pick<PhoneClientOptions, 'holdMs' | 'token'>> = {},
  ): Promise<FakeCaller> {
    const caller = new FakeCaller();
    caller.#client = await PhoneClient.connect({
      url: sandbox.url,
      token: PHONE_TOKEN,
      ...line,
      exchange: (heard) => {
        caller.heard.push(heard);
        return caller.says(caller.#frames++);
      },
    });
    caller.#client.on('ringing', () => caller.events.push({ type: 'ringing' }));
    caller.#client.on('answered', () => caller.events.push({ type: 'answered' }));
    caller.#client.on('progress', (line) => caller.events.push({ type: 'progress', line }));
    caller.#client.on('ended', (end) => caller.events.push({ type: 'ended', end }));
    return caller;
  }

  /** A phone that waits for a call to `number`. */
  static async attending(sandbox: Sandbox, number: string, acts: Partial<PhoneAttendance> = {}): Promise<FakeCaller> {
    const phone = await FakeCaller.attach(sandbox);
    await phone.client.attend({ number, ringMs: 200, ...acts });
    return phone;
  }

  get client(): PhoneClient {
    return this.#client;
  }

  dial(sandbox: Pick<Sandbox, 'number'>): void {
    this.#client.dial({ from: CALLER, to: sandbox.number });
  }

  async ended(): Promise<PhoneCallEnd> {
    const event = await this.events.next(({ type }) => type === 'ended', 10_000);
    return (event as Extract<PhoneEvent, { type: 'ended' }>).end;
  }

  /** The next progress line of this hop. */
  async progress(hop: PhoneProgress['hop'], ok: boolean): Promise<PhoneProgress> {
    const event = await this.events.next((e) => e.type === 'progress' && e.line.hop === hop && e.line.ok === ok);
    return (event as Extract<PhoneEvent, { type: 'progress' }>).line;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.close();
  }
}
