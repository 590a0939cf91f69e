import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FrameClock } from '../../src/base/async/frame-clock.js';
import type { StreamVerb } from '../../src/sandbox/carrier/call-document.js';
import type { AccountCalls, CarrierFace, WebhookParameters } from '../../src/sandbox/carrier/face.js';
import type { SandboxCarrier } from '../../src/sandbox/faces.js';
import type { CallSetup, PhoneCall } from '../../src/sandbox/network/call.js';
import type { Phone } from '../../src/sandbox/network/phone.js';
import { plivoAccount } from './account.js';
import { dist } from './dist.js';

const { silentLogger } = await dist<typeof import('../../src/base/logger.js')>('base/logger.js');
const { FACES } = await dist<typeof import('../../src/sandbox/faces.js')>('sandbox/faces.js');
const calls = await dist<typeof import('../../src/sandbox/network/call.js')>('sandbox/network/call.js');
const { incoming } = await dist<typeof import('../../src/sandbox/network/network.js')>('sandbox/network/network.js');
const { FIRST_NUMBER } =
  await dist<typeof import('../../src/sandbox/network/numbers.js')>('sandbox/network/numbers.js');

const FROM = '+12025550142';
/** The first call of a sandbox is the one without quirks. */
const SERIAL = 1;
/** The calls of the sandbox all live on one clock, 20 ms at a time; those of the bench do not. */
const NO_CLOCK = { onTick: () => () => {}, wait: () => new Promise(() => {}) } as unknown as FrameClock;
const NO_PHONE: Phone = { exchange() {}, notify() {} };
/** Lets go of a connection before the runner does, which takes 5 s: a request would meet its close. */
const keeping = new Agent({ keepAlive: true, timeout: 4_000 });

/** A media stream that is to be opened for a call. */
export interface StreamPlace {
  readonly face: CarrierFace;
  readonly call: PhoneCall;
  readonly verb: StreamVerb;
}

/** A carrier in the words of the sandbox, whose requests and streams are timed one by one. */
export class BenchCarrier {
  readonly #face: CarrierFace;
  /** By their identifiers. */
  readonly #live = new Map<string, PhoneCall>();

  constructor(account = plivoAccount) {
    this.#face = FACES[account.carrier as SandboxCarrier]({ ...account, answerUrl: '', hangupUrl: '' });
  }

  /** A call that rings. */
  newCall(): PhoneCall {
    return this.#begin(incoming(FROM, FIRST_NUMBER));
  }

  /**
   * Opens the REST API, by which a bot places calls and ends them.
   * @param placed is told of each call that is placed, which rings
   * @returns its address
   */
  async openApi(placed: (call: PhoneCall) => void): Promise<string> {
    const account: AccountCalls = {
      calls: { [Symbol.iterator]: () => this.#live.values() },
      ended: [],
      find: (id) => this.#live.get(id),
      findEnded: () => undefined,
      dialOut: (setup) => {
        const call = this.#begin({ ...setup, direction: 'outbound' });
        placed(call);
        return call;
      },
    };
    const server = createServer(this.#face.restApi(account, {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}${this.#face.apiPath}`;
  }

  /** A call that was placed by the API is answered. @throws Error when its document has no stream */
  async answer(call: PhoneCall): Promise<StreamPlace> {
    call.answer();
    const { place } = await this.#documentAt(call.setup.answer?.url ?? '', call, keeping);
    if (!place) throw new Error('the document of a placed call has no stream');
    return place;
  }

  /** Asks a runner for the document of a call. @returns its stream where there is one, and milliseconds until all of it was there */
  async askForDocument(
    runnerUrl: string,
    call: PhoneCall,
    agent: Agent | false = keeping,
  ): Promise<{ place: StreamPlace | undefined; waitedMs: number }> {
    return await this.#documentAt(`${runnerUrl}/answer`, call, agent);
  }

  /** A new call, which is answered at once. @throws Error when its document has no stream */
  async call(runnerUrl: string): Promise<{ place: StreamPlace; waitedMs: number }> {
    const call = this.newCall();
    call.answer();
    const { place, waitedMs } = await this.askForDocument(runnerUrl, call);
    if (!place) throw new Error('the document has no stream');
    return { place, waitedMs };
  }

  /** The same with a server that needs no document. @param url of its streams */
  callAt(url: string): StreamPlace {
    const call = this.newCall();
    const verb: StreamVerb = {
      verb: 'stream',
      url: `${url}?call_id=${call.id}`,
      bidirectional: true,
      keepCallAlive: true,
      endsOnTransfer: true,
      format: { contentType: 'audio/x-mulaw', sampleRate: 8_000 },
      timeoutMs: 0,
      attributes: new Map(),
      parameters: new Map(),
    };
    return { face: this.#face, call, verb };
  }

  /** Tells a runner that a call is over, as the carrier does when its stream has closed. */
  async hangUp(runnerUrl: string, call: PhoneCall): Promise<void> {
    call.hangUp();
    await this.#post(call.setup.hangup?.url ?? `${runnerUrl}/hangup`, this.#face.words.over(call), keeping);
  }

  #begin(setup: CallSetup): PhoneCall {
    const call = new calls.PhoneCall(setup, NO_PHONE, SERIAL, NO_CLOCK, silentLogger, this.#face.newCallId());
    this.#live.set(call.id, call);
    call.signal.addEventListener('abort', () => this.#live.delete(call.id), { once: true });
    return call;
  }

  async #documentAt(
    url: string,
    call: PhoneCall,
    agent: Agent | false,
  ): Promise<{ place: StreamPlace | undefined; waitedMs: number }> {
    const words = this.#face.words.document(call, 'answer');
    const { status, body, waitedMs } = await this.#post(url, words, agent);
    const document = status === 200 ? this.#face.readDocument(body) : undefined;
    const verb = document?.verbs.find((one) => one.verb === 'stream');
    return { place: verb && { face: this.#face, call, verb }, waitedMs };
  }

  async #post(
    url: string,
    words: WebhookParameters,
    agent: Agent | false,
  ): Promise<{ status: number | undefined; body: string; waitedMs: number }> {
    const body = new URLSearchParams(words).toString();
    const signature = this.#face.signatureOf({ method: 'POST', url, form: Object.entries(words), body });
    const headers = { ...signature, 'content-type': 'application/x-www-form-urlencoded' };
    const sentAt = performance.now();
    const sent = request(url, { method: 'POST', headers, agent }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const answer = await text(response);
    return { status: response.statusCode, body: answer, waitedMs: performance.now() - sentAt };
  }
}
