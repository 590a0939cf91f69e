import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { VoicebotError } from '../../base/errors.js';
import { murmur } from '../../sandbox/network/prompt-audio.js';
import type { StartedNetwork } from '../../sandbox/sandbox.js';
import type { CallerHands } from '../scenario/caller-hands.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { ScriptedCaller } from '../scenario/scripted-caller.js';
import { botWaits, readyBotsAt } from '../stage/bot-waits.js';
import { CallerVoice } from '../stage/caller-voice.js';
import { readScenarioFiles } from '../test/scenario-files.js';
import type { CallersNews, CallersRequest, LoadOrder } from './load-messages.js';
import { LoadPhone } from './load-phone.js';

const SECOND_MS = 1_000;
/** Between two looks whether a call is set up, and whether a bot waits. */
const POLL_MS = 5;
/** A call that is not set up by then goes on by itself, and the next one is dialled. */
const SET_UP_LIMIT_MS = 10_000;
const FROM = '+12025550199';

/** Callers who stay come one after the other while fewer than this wait for their first word, or have waited for it this long, in milliseconds. */
const MOST_UNGREETED = 8;
const GREETED_WITHIN_MS = 1_000;

/** Calls that are begun together. */
interface Batch {
  readonly order: LoadOrder;
  readonly scenario: PlacedScenario | undefined;
  /** What callers without a scenario say. */
  readonly sound: Uint8Array | undefined;
}

/** The callers of a load, in the process of their network. */
export class LoadCallers {
  readonly #voice = new CallerVoice();
  readonly #over = new AbortController();
  #phones: LoadPhone[] = [];
  #beganAt = 0;
  #firstWordsMs: number[] = [];
  #before = { heardMs: 0, missingMs: 0, cpu: process.cpuUsage(), at: performance.now() };
  #batch: Batch | undefined;
  #no = 0;
  #isDialling = false;
  #isHeard = false;
  #isLeaving = false;

  constructor(
    private readonly network: StartedNetwork,
    private readonly tell: (news: CallersNews) => void,
  ) {
    setMaxListeners(0, this.#over.signal);
  }

  take(request: CallersRequest): void {
    const work = this.#work(request);
    work?.catch((error: Error) => this.#failed(error));
  }

  #work(request: CallersRequest): Promise<void> | undefined {
    switch (request.type) {
      case 'begin':
        return this.#begin(request);
      case 'resize':
        return this.#resize(request.calls, request.everyMs);
      case 'count':
        this.tell({ type: 'counted', calls: this.#phones.map(({ went }) => went) });
        break;
      case 'count_afresh':
        this.#countAfresh();
        break;
      case 'stop_dialling':
        this.#isDialling = false;
        break;
      case 'hang_up':
        this.#hangUp();
        break;
      case 'noted':
        this.#phoneOf(request.callId)?.caller.note(request.event);
        break;
      case 'told':
        this.#phoneOf(request.callId)?.settle(request.end);
    }
    return undefined;
  }

  #phoneOf(callId: string): LoadPhone | undefined {
    return this.#phones.find((phone) => phone.callId === callId);
  }

  async #begin(order: LoadOrder): Promise<void> {
    const [scenario] = order.scenarioFile ? await readScenarioFiles([order.scenarioFile], '/') : [];
    const sound = scenario ? undefined : await this.#voice.speak(order.words).catch(() => murmur(order.words));
    this.#batch = { order, scenario, sound };
    this.#phones = [];
    this.#no = 0;
    this.#countAfresh();
    this.#beganAt = performance.now();
    this.#isHeard = false;
    this.#isLeaving = false;
    const seconds = setInterval(() => this.#second(), SECOND_MS);
    await this.#dialMore(order.calls, order.everyMs);
    this.#listen();
    while ((order.stays && !this.#isLeaving) || this.#phones.some(({ isOver }) => !isOver)) await delay(20);
    clearInterval(seconds);
    this.#second();
    this.tell({ type: 'all_over', calls: this.#phones.map(({ went }) => went) });
  }

  async #resize(calls: number, everyMs: number): Promise<void> {
    this.#phones = this.#phones.filter(({ isOver }) => !isOver);
    const live = this.#phones.filter(({ hasEnded }) => !hasEnded);
    const leaving = live.slice(calls);
    for (const phone of leaving) phone.cut();
    while (leaving.some(({ isOver }) => !isOver)) await delay(20);
    this.#phones = this.#phones.filter((phone) => !leaving.includes(phone));
    await this.#dialMore(calls - live.length, everyMs);
  }

  /** @param calls how many more; 0 or less for none */
  async #dialMore(calls: number, everyMs: number): Promise<void> {
    const { runnerUrl, stays } = this.#batch?.order ?? {};
    const beganAt = performance.now();
    this.#isDialling = !this.#isLeaving;
    for (let at = 0; at < calls && this.#isDialling; at += 1) {
      const restMs = runnerUrl ? everyMs : beganAt + at * everyMs - performance.now();
      if (at > 0 && restMs > 0) await delay(restMs);
      while (stays && this.#isDialling && this.#isCrowded) await delay(POLL_MS);
      if (runnerUrl) await botWaits(() => readyBotsAt(runnerUrl), { limitMs: SET_UP_LIMIT_MS, pollMs: POLL_MS });
      if (!this.#isDialling) break;
      const phone = this.#dial();
      if (runnerUrl) await settled(phone);
    }
    this.#isDialling = false;
    this.tell({ type: 'all_dialled' });
  }

  /** Whether bots have enough to do with those who came last. */
  get #isCrowded(): boolean {
    return this.#phones.filter((phone) => phone.isWaiting && phone.ageMs < GREETED_WITHIN_MS).length >= MOST_UNGREETED;
  }

  #dial(): LoadPhone {
    if (!this.#batch) throw new Error('no calls were begun');
    const { order, scenario, sound } = this.#batch;
    this.#no += 1;
    const phone = new LoadPhone({
      no: this.#no,
      now: () => performance.now() - this.#beganAt,
      lengthMs: order.lengthMs,
      hasSteps: scenario !== undefined,
      limitMs: scenario?.limit,
      isTold: order.hasRunner ?? false,
      callerOf: (one) => this.#callerOf(one, order, scenario, sound),
      onRinging: (callId) => this.tell({ type: 'ringing', callId }),
      onFirstWord: (ms) => {
        this.#firstWordsMs.push(ms);
        this.#listen();
      },
      onEnded: ({ callId }) => {
        this.tell({ type: 'call_over', callId });
        this.#listen();
      },
      onOver: ({ went: { outcome }, lengthMs, reason }) => {
        if (outcome !== 'live' && outcome !== 'done') this.tell({ type: 'wrong', outcome, lengthMs, reason });
      },
    });
    this.#phones.push(phone);
    const { network, sandbox } = this.network;
    phone.dial((one) => network.dialIn(one, scenario?.from ?? FROM, sandbox.number));
    return phone;
  }

  #callerOf(
    phone: LoadPhone,
    { words }: LoadOrder,
    scenario: PlacedScenario | undefined,
    sound: Uint8Array | undefined,
  ): ScriptedCaller {
    const hands: CallerHands = {
      speak: async (text) => sound ?? (await this.#voice.speak(text)),
      play: (file) => this.#voice.play(file),
      press: (digit) => phone.press(digit),
      said: (text) => phone.callId && this.tell({ type: 'said', callId: phone.callId, text }),
      hangUp: () => phone.hangUp(),
    };
    const says = { kind: 'say', words } as const;
    const steps = [{ kind: 'repeat', times: undefined, steps: [says] }] as const;
    const end = scenario?.expect.end;
    const isBotToEnd = end !== undefined && !end.includes('caller_hung_up');
    return new ScriptedCaller(scenario?.caller ?? steps, hands, this.#over.signal, isBotToEnd);
  }

  /** Tells, once, when no call waits for its first word any more. */
  #listen(): void {
    if (this.#isDialling || this.#isHeard || this.#phones.some(({ isWaiting }) => isWaiting)) return;
    this.#isHeard = true;
    this.tell({ type: 'all_heard' });
  }

  #hangUp(): void {
    this.#isLeaving = true;
    this.#isDialling = false;
    for (const phone of this.#phones) if (!phone.hasEnded) phone.cut();
  }

  #countAfresh(): void {
    for (const phone of this.#phones) phone.countAfresh();
    this.#before = { ...this.#before, heardMs: 0, missingMs: 0 };
  }

  #second(): void {
    const sum = (value: (phone: LoadPhone) => number) => this.#phones.reduce((all, one) => all + value(one), 0);
    const now = {
      heardMs: sum(({ heardMs }) => heardMs),
      missingMs: sum(({ missingMs }) => missingMs),
      cpu: process.cpuUsage(),
      at: performance.now(),
    };
    const cpuMs = (now.cpu.user + now.cpu.system - this.#before.cpu.user - this.#before.cpu.system) / 1_000;
    const over = this.#phones.filter(({ hasEnded }) => hasEnded);
    const wrong = over.filter(({ went: { outcome } }) => outcome !== 'done' && outcome !== 'live');
    this.tell({
      type: 'second',
      dialled: this.#phones.length,
      live: this.#phones.length - over.length,
      over: over.length,
      wrong: wrong.length,
      firstWordsMs: this.#firstWordsMs.splice(0),
      heardMs: Math.max(0, now.heardMs - this.#before.heardMs),
      missingMs: Math.max(0, now.missingMs - this.#before.missingMs),
      cpuPercent: (100 * cpuMs) / (now.at - this.#before.at),
    });
    this.#before = now;
  }

  #failed(error: Error): void {
    const code = error instanceof VoicebotError ? error.code : 'VB_INTERNAL';
    this.tell({ type: 'failed', message: error.message, code });
  }
}

async function settled(phone: LoadPhone): Promise<void> {
  const giveUpAt = performance.now() + SET_UP_LIMIT_MS;
  while (!phone.isSettled && performance.now() < giveUpAt) await delay(POLL_MS);
}
