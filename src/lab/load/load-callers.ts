import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { VoicebotError } from '../../base/errors.js';
import { murmur } from '../../sandbox/network/prompt-audio.js';
import type { StartedNetwork } from '../../sandbox/sandbox.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { type CallerHands, ScriptedCaller } from '../scenario/scripted-caller.js';
import { botWaits } from '../stage/bot-waits.js';
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

/** The callers of a load, in the process of their network. */
export class LoadCallers {
  readonly #voice = new CallerVoice();
  readonly #over = new AbortController();
  #phones: LoadPhone[] = [];
  #beganAt = 0;
  #firstWordsMs: number[] = [];
  #before = { heardMs: 0, missingMs: 0, cpu: process.cpuUsage(), at: performance.now() };
  #isDialling = false;
  #isHeard = false;

  constructor(
    private readonly network: StartedNetwork,
    private readonly tell: (news: CallersNews) => void,
  ) {
    setMaxListeners(0, this.#over.signal);
  }

  take(request: CallersRequest): void {
    if (request.type === 'begin') void this.#begin(request).catch((error: Error) => this.#failed(error));
    else if (request.type === 'count_afresh') this.#countAfresh();
    else if (request.type === 'hang_up') this.#hangUp();
    else {
      const phone = this.#phones.find(({ callId }) => callId === request.callId);
      if (request.type === 'noted') phone?.caller.note(request.event);
      else phone?.settle(request.end);
    }
  }

  async #begin(order: LoadOrder): Promise<void> {
    const [scenario] = order.scenarioFile ? await readScenarioFiles([order.scenarioFile], '/') : [];
    const sound = scenario ? undefined : await this.#voice.speak(order.words).catch(() => murmur(order.words));
    this.#phones = [];
    this.#countAfresh();
    this.#beganAt = performance.now();
    this.#isDialling = true;
    this.#isHeard = false;
    const seconds = setInterval(() => this.#second(), SECOND_MS);
    for (let no = 1; no <= order.calls && this.#isDialling; no += 1) {
      const dueAt = this.#beganAt + (no - 1) * order.everyMs;
      const restMs = order.runnerUrl ? order.everyMs : dueAt - performance.now();
      if (no > 1 && restMs > 0) await delay(restMs);
      if (order.runnerUrl) await botWaits(order.runnerUrl, { limitMs: SET_UP_LIMIT_MS, pollMs: POLL_MS });
      if (!this.#isDialling) break;
      const phone = this.#dial(no, order, scenario, sound);
      if (order.runnerUrl) await settled(phone);
    }
    this.#isDialling = false;
    this.tell({ type: 'all_dialled' });
    this.#listen();
    while (this.#phones.some(({ isOver }) => !isOver)) await delay(20);
    clearInterval(seconds);
    this.#second();
    this.tell({ type: 'all_over', calls: this.#phones.map(({ went }) => went) });
  }

  #dial(no: number, order: LoadOrder, scenario: PlacedScenario | undefined, sound: Uint8Array | undefined): LoadPhone {
    const phone = new LoadPhone({
      no,
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

  /** Tells, once, when nobody waits for a first word any more. */
  #listen(): void {
    if (this.#isDialling || this.#isHeard || this.#phones.some(({ isWaiting }) => isWaiting)) return;
    this.#isHeard = true;
    this.tell({ type: 'all_heard' });
  }

  #hangUp(): void {
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
      heardMs: now.heardMs - this.#before.heardMs,
      missingMs: now.missingMs - this.#before.missingMs,
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
