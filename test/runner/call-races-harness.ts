import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.js';
import { asProviderCallId, type ProviderCallId } from '../../src/call/call-id.js';
import type { CallRecord } from '../../src/call/call-record.js';
import type { AnswerDial, AnswerStep, AnswerStream, DialNews } from '../../src/providers/carrier.js';
import { plivo } from '../../src/providers/plivo/provider.js';
import { BotCall, type BotCallProcess } from '../../src/runner/bots/bot-call.js';
import type { BotPool } from '../../src/runner/bots/bot-pool.js';
import type { BotPoolEvents } from '../../src/runner/bots/bot-pool-options.js';
import type {
  BotOutcome,
  FromBot,
  MessageToBot,
  ServeMessage,
  StreamOutcome,
  ToBot,
} from '../../src/runner/bots/messages.js';
import type { WaitingStream, WaitingStreamEvents } from '../../src/runner/bots/waiting-stream.js';
import { CallDocuments } from '../../src/runner/calls/carrier/call-documents.js';
import { CarrierDriver } from '../../src/runner/calls/carrier/carrier-driver.js';
import { type CarrierEvent, CarrierWebhooks } from '../../src/runner/calls/carrier/carrier-webhooks.js';
import { Dialer } from '../../src/runner/calls/carrier/dialer.js';
import { HangupJournal } from '../../src/runner/calls/debts/hangup-journal.js';
import { Hangups } from '../../src/runner/calls/debts/hangups.js';
import { CallRegistry } from '../../src/runner/calls/life/call-registry.js';
import type { CallSupervisor } from '../../src/runner/calls/life/supervisor.js';
import { CallTickets } from '../../src/runner/dialing/call-tickets.js';
import { DialLimits } from '../../src/runner/dialing/dial-limits.js';
import { type DoNotCallList, ForgetfulList } from '../../src/runner/dialing/do-not-call/do-not-call-list.js';
import { Reach } from '../../src/runner/http/reach.js';
import { WebhookAddresses } from '../../src/runner/http/webhook-addresses.js';

export const CALL = 'call-1';
export const CALLER = '+12025550142';
export const BOT = '+12025550100';
export const OPERATOR = '+12025550101';
export const COLLEAGUE = '+12025550106';

export const ACCOUNT = { carrier: 'plivo', authId: 'MATEST', apiUrl: 'http://127.0.0.1:1/v1' };

/** The carrier's voice API, whose every answer is the test's. */
class HandClient {
  /** Calls it was asked to end. */
  readonly ended: string[] = [];
  /** Addresses of the documents of transfers it was asked for. */
  readonly transfers: string[] = [];
  /** Addresses of the answers of calls it was asked to place. */
  readonly placed: string[] = [];
  hangUp = async (callId: string): Promise<'ended'> => {
    this.ended.push(callId);
    return 'ended';
  };
  takeTransfer = async (_signal?: AbortSignal): Promise<void> => {};
  /** Calls it does not know any more. */
  readonly gone = new Set<string>();
  transfer = async (
    callId: string,
    documentUrl: string,
    signal?: AbortSignal,
  ): Promise<'transferring' | 'no_such_call'> => {
    this.transfers.push(documentUrl);
    await this.takeTransfer(signal);
    return this.gone.has(callId) ? 'no_such_call' : 'transferring';
  };
  placeCall = async ({ answerUrl }: { answerUrl: string }): Promise<{ providerCallId: ProviderCallId | undefined }> => {
    this.placed.push(answerUrl);
    return { providerCallId: asProviderCallId(`request-${this.placed.length}`) };
  };
  findCalls = async (_numbers: { from: string; to: string }): Promise<readonly string[]> => [];
}

/** A bot of one call, which does what the test says. */
export class HandBot implements BotCallProcess {
  readonly served: ServeMessage[] = [];
  readonly told: MessageToBot[] = [];
  /** How often its call was taken away from it. */
  abandoned = 0;
  #call: BotCall | undefined;

  /** Its part in the call that it is given. */
  callOf(callId: string): BotCall {
    this.#call ??= new BotCall(callId, this);
    return this.#call;
  }
  says(message: FromBot): void {
    this.#call?.receive(message);
  }
  begin(): void {}
  send(message: MessageToBot): void {
    if (message.type === 'serve') this.served.push(message);
    else if (message.type !== 'stream') this.told.push(message);
  }
  abandon(): void {
    this.abandoned += 1;
  }

  /** What it was told of its wish to consult. */
  consultAnswer(requestId: number): Extract<ToBot, { type: 'consult_answer' }> | undefined {
    const answers = this.told.filter((message) => message.type === 'consult_answer');
    return answers.find((answer) => answer.requestId === requestId);
  }

  /** What it was told last of its wish to transfer. */
  get transferProblem(): string | undefined {
    const answer = this.told.findLast(({ type }) => type === 'transfer_answer');
    return answer?.type === 'transfer_answer' ? answer.problem?.code : undefined;
  }
}

/** Whether one more caller would have a bot in time. */
type InTime = ReturnType<BotPool['expect']>;
/** A connected media stream that no bot reads yet: what the runner does with it. */
export class HandStream extends EventEmitter<WaitingStreamEvents> {
  readonly did: string[] = [];
  playTone = (): void => void this.did.push('tone');
  release = (): object => {
    this.did.push('release');
    return { socket: new Socket(), head: Buffer.alloc(0) };
  };
  end = (): void => void this.did.push('end');
  drop = (): void => void this.did.push('drop');
}

class HandPool extends EventEmitter<BotPoolEvents> {
  /** Why no bot can be loaded. */
  problem: Error | undefined;
  readonly waiting: Array<{ hand: (bot: HandBot) => void; fail: (error: Error) => void }> = [];

  assign(callId: string, hand: (bot: BotCall) => void): Promise<void> {
    return new Promise((resolve, fail) => {
      this.waiting.push({
        fail,
        hand: (bot) => {
          hand(bot.callOf(callId));
          resolve();
        },
      });
    });
  }
  /** Bots of calls that were dialled beside others, which stand in the process of the others' bots. */
  readonly beside: Array<{ readonly bot: HandBot; readonly other: BotCall }> = [];
  assignBeside(other: BotCall, callId: string, hand: (bot: BotCall) => void): boolean {
    const bot = new HandBot();
    this.beside.push({ bot, other });
    hand(bot.callOf(callId));
    return true;
  }
  inTime: InTime = 'in_time';
  /** Calls that will want a bot. */
  readonly expected = new Set<string>();
  expect(callId: string): InTime {
    this.expected.add(callId);
    return this.inTime;
  }
  forget(callId: string): void {
    this.expected.delete(callId);
  }
  stopCalls(): void {}
}

/** What decides about calls, with a pool, a carrier and bots that do what the test says, in any order. */
export class CallsUnderTest implements Disposable {
  readonly client = new HandClient();
  readonly registry = new CallRegistry();
  /** What the carrier says. */
  readonly calls: CarrierWebhooks;
  readonly driver: CarrierDriver;
  readonly supervisor: CallSupervisor;
  readonly dialer: Dialer;
  readonly #pool = new HandPool();
  /** Calls for which a bot is being made ready. */
  readonly expected: ReadonlySet<string> = this.#pool.expected;
  /** Bots of calls that were dialled beside others, and the bots in whose processes they are. */
  readonly beside = this.#pool.beside;
  readonly #tickets = new CallTickets('test-auth-token');
  readonly #directory = mkdtempSync(join(tmpdir(), 'voicebot-races-'));
  /** Where the dialler checks its targets. */
  checkTarget = async (to: string): Promise<string> => to;
  readonly limits = new DialLimits({ perMinute: 10, atOnce: 10, secondsPerNumber: 0 });
  readonly doNotCall: DoNotCallList = new ForgetfulList();
  /** Most calls at once. */
  maxCalls: number | undefined;
  /** Why callers were turned away, one after the other. */
  readonly turnedAway: string[] = [];
  readonly #addresses = new WebhookAddresses('https://bot.example.com');
  /** How the carrier comes to the runner. */
  readonly reach = new Reach(this.#addresses);

  /** @param operatorNumber where it is not set, the empty string */
  constructor({ isTunnelled = false, operatorNumber = OPERATOR, logger = silentLogger } = {}) {
    const { client, registry, reach } = this;
    const addresses = this.#addresses;
    const tickets = this.#tickets;
    const documents = new CallDocuments({ carrier: plivo, addresses, tickets, transferLimitS: 3_600, isTunnelled });
    const checkTarget = (to: string) => this.checkTarget(to);
    const hangups = new Hangups({ client, journal: new HangupJournal(this.#directory, ACCOUNT), logger });
    const pool = this.#pool as unknown as BotPool;
    this.driver = new CarrierDriver({
      registry,
      pool,
      documents,
      hangups,
      carrier: plivo,
      client,
      checkTarget,
      dialBeside: (request) => this.dialer.dialBeside(request),
      operatorNumber,
      maxCallMs: 3_600_000,
      maxDialledCallMs: 900_000,
      ringSeconds: 30,
      silenceMs: 0,
      endsOnMachine: false,
      reach,
      isTunnelled,
      doNotCall: this.doNotCall,
      maxCalls: () => this.maxCalls,
      logger,
    });
    this.supervisor = this.driver.supervisor;
    this.calls = new CarrierWebhooks(this.driver, {
      carrier: plivo,
      registry,
      pool,
      hangups,
      memory: { hasEnded: () => false },
      onTurnedAway: (why) => this.turnedAway.push(why),
      logger,
    });
    this.dialer = new Dialer({
      client,
      calls: this.driver,
      registry,
      documents,
      limits: this.limits,
      checkTarget,
      doNotCall: this.doNotCall,
      phoneNumber: BOT,
      numberName: 'CARRIER_PHONE_NUMBER',
      ringSeconds: 30,
      maxSeconds: 900,
      machineDetection: 'off',
      logger,
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** From now on no bot would be there in time for another caller. */
  lackBots(): void {
    this.#pool.inTime = 'late';
  }

  record(id: string = CALL): CallRecord | undefined {
    return this.registry.get(id);
  }

  /** A webhook's content; that of an address of ours includes what the address says. */
  news(more: Partial<CarrierEvent> = {}, address?: string): CarrierEvent {
    const query = address === undefined ? new URLSearchParams() : new URL(address).searchParams;
    const ticket = this.#tickets.read(query);
    if (ticket === 'refused') throw new Error(`${address} is not an address of ours`);
    const streamNo = query.has('stream_no') ? Number(query.get('stream_no')) : undefined;
    const numbers = { from: CALLER, to: BOT, direction: 'inbound' } as const;
    return { event: 'other', providerCallId: CALL, ...numbers, ticket, streamNo, query: {}, ...more };
  }

  answer(): AnswerStep[] {
    return this.calls.answer(this.news({ event: 'answer' }));
  }

  /** The carrier goes on to the address after a stream. */
  follow(steps: AnswerStep[]): Promise<AnswerStep[]> {
    return this.resume(streamOf(steps).continueUrl);
  }

  /** The carrier comes to an address that it was given for what follows a stream. */
  async resume(address: string): Promise<AnswerStep[]> {
    return this.calls.resume(this.news({ event: 'continue' }, address));
  }

  hangup(): void {
    this.calls.hangup(this.news({ event: 'hangup' }));
  }

  /** The carrier connects the stream of this document, which waits for a bot then. */
  connect(steps: AnswerStep[], as?: 'queued'): { stream: HandStream; hand(bot: HandBot): void; fail(): Promise<void> } {
    const { call_id: id = '', token = '' } = streamOf(steps).parameters;
    if (!this.driver.admits(id, token)) throw new Error('the stream is not admitted');
    const stream = new HandStream();
    this.driver.connect(id, stream as unknown as WaitingStream);
    const waiting = as === 'queued' ? undefined : this.#pool.waiting.pop();
    return {
      stream,
      hand: (bot) => {
        waiting?.hand(bot);
        this.reads(bot);
      },
      fail: async () => {
        waiting?.fail(new Error('no bot became ready'));
        await settled();
      },
    };
  }

  /** A bot that has been given a call begins to listen. */
  reads(bot: HandBot): void {
    bot.says({ type: 'reading' });
    bot.says({ type: 'socket_received' });
  }

  /** Bots that calls want and have not got. */
  get wanted(): number {
    return this.#pool.waiting.length;
  }

  /** Starts the next bot that a call wants, which does not listen yet. */
  start(bot = new HandBot()): HandBot {
    const waiting = this.#pool.waiting.pop();
    if (!waiting) throw new Error('no bot is wanted');
    waiting.hand(bot);
    return bot;
  }

  /** The carrier connects the stream of this document, and a bot reads it. */
  async serve(steps: AnswerStep[], bot = new HandBot()): Promise<HandBot> {
    const connection = this.connect(steps);
    connection.hand(bot);
    return bot;
  }

  streamOver(bot: HandBot, outcome: StreamOutcome): void {
    bot.says({ type: 'stream_over', outcome });
  }

  async crash(bot: HandBot): Promise<void> {
    this.streamOver(bot, 'bot_crashed');
    this.botDone(bot, 'lost');
  }

  botDone(bot: HandBot, outcome: BotOutcome = 'returned'): void {
    bot.says({ type: 'call_done', outcome });
  }

  /** A bot has a number dialled beside its call; the carrier may not have answered yet. @returns what it is told */
  async consult(
    bot: HandBot,
    to: string = COLLEAGUE,
    legId?: string,
  ): Promise<Extract<ToBot, { type: 'consult_answer' }> | undefined> {
    this.#consults += 1;
    const requestId = this.#consults;
    bot.says({ type: 'consult', requestId, to, ringSeconds: 20, ...(legId && { legId }) });
    await soon(() => bot.consultAnswer(requestId) !== undefined);
    return bot.consultAnswer(requestId);
  }
  #consults = 0;

  /** A webhook of the call that was dialled last, or of the one before it. */
  leg(no = this.client.placed.length): CarrierEvent {
    const numbers = { from: BOT, to: COLLEAGUE, direction: 'outbound' } as const;
    const providerCallId = asProviderCallId(`leg-${no}`);
    return this.news(
      { providerCallId, requestId: asProviderCallId(`request-${no}`), ...numbers },
      this.client.placed[no - 1],
    );
  }

  /** A bot asks for a transfer; the carrier may not have answered yet. */
  async ask(bot: HandBot, to: string = OPERATOR): Promise<void> {
    bot.says({ type: 'transfer', to });
    await settled();
  }

  /** A bot asks for a transfer, the carrier takes it, and the stream is closed. @returns the address of its document */
  async letGo(bot: HandBot, to: string = OPERATOR): Promise<string> {
    await this.ask(bot, to);
    this.streamOver(bot, 'transferring');
    return this.client.transfers.at(-1) ?? '';
  }

  /** The carrier comes for the document of a transfer. */
  async transfer(address: string): Promise<AnswerStep[]> {
    return this.calls.transfer(this.news({}, address));
  }

  /** The destination answers. */
  answered(steps: AnswerStep[]): void {
    const { to, statusUrl } = dialOf(steps);
    const dial: DialNews = { phase: 'answered', to, legId: 'leg-1' };
    this.calls.transferStatus(this.news({ event: 'dial', dial }, statusUrl));
  }

  /** The carrier has finished dialling. */
  dialled(steps: AnswerStep[], outcome: Extract<DialNews, { phase: 'ended' }>['outcome']): AnswerStep[] {
    const dial: DialNews = { phase: 'ended', outcome, cause: outcome, legId: undefined };
    return this.calls.transferEnded(this.news({ event: 'dial', dial }, dialOf(steps).outcomeUrl));
  }
}

/** Everything that was under way has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when this is so, or much has happened without it: modules are loaded meanwhile. */
export async function soon(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 50_000 && !isSo(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export function streamOf([step]: AnswerStep[]): AnswerStream {
  if (step?.do !== 'stream') throw new Error(`no stream: ${JSON.stringify(step)}`);
  return step.stream;
}

export function dialOf([step]: AnswerStep[]): AnswerDial {
  if (step?.do !== 'dial') throw new Error(`no call: ${JSON.stringify(step)}`);
  return step.dial;
}
