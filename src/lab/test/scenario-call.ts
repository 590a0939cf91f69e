import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unlessAborted } from '../../base/async/deadline.js';
import { Resampler } from '../../base/audio/resampler.js';
import { decodeWav } from '../../base/audio/wav.js';
import { errorText } from '../../base/error-text.js';
import type { StandInReply } from '../../bot/services/llm/stand-in-request.js';
import { findCallFolders } from '../../call/folder/folder-name.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { inSeconds, recordingStartOf } from '../../call/view/events.js';
import type { Environment } from '../../config/environment.js';
import { CALLEE_NUMBERS } from '../../sandbox/network/scripted-phones.js';
import type { CallStory, Failure } from '../scenario/call-story.js';
import type { CallerAction } from '../scenario/caller-hands.js';
import { textsIn } from '../scenario/caller-steps.js';
import { LineConditions } from '../scenario/line-conditions.js';
import type { ModelQuestion } from '../scenario/model-script.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { PlayedFunctions } from '../scenario/played-functions.js';
import { receivedKeys } from '../scenario/received-keys.js';
import { ScriptedCaller } from '../scenario/scripted-caller.js';
import type { CallerVoice } from '../stage/caller-voice.js';
import type { KeptLog } from '../stage/kept-log.js';
import { LabCall, type LabCallEnd } from '../stage/lab-call.js';
import type { CallModel, ScriptServer } from '../stage/script-server.js';
import { modelOf } from '../stage/scripted-model.js';
import type { Stage } from '../stage/stage.js';
import { UnansweredQuestions } from '../stage/unanswered-questions.js';
import { PlantedFaults } from './planted-faults.js';

/** What the calls of a test share. */
export interface TestMeans {
  readonly scripts: ScriptServer;
  readonly voice: CallerVoice;
  /** State directory: where calls leave their folders. */
  readonly home: string;
  /** Of this process. */
  readonly environment: Environment;
  /** Of the runners. Default: what they write is not looked at. */
  readonly log?: KeptLog;
  /** Told of each call that is over. */
  readonly onStory?: ((story: CallStory) => void) | undefined;
}

/** What is known of a call without what it has left on the disk. */
export type LiveStory = Omit<CallStory, 'log' | 'files'>;

/** One call of a scenario. */
export class ScenarioCall {
  callId: string | undefined;
  readonly #unanswered = new UnansweredQuestions();
  readonly #questions: Array<ModelQuestion & { readonly at: number }> = [];
  readonly #failures: Failure[] = [];
  /** Its caller has failed. */
  #isLost = false;
  readonly #caller: ScriptedCaller;
  readonly #call: LabCall;
  readonly #over = new AbortController();
  readonly #faults: PlantedFaults;
  readonly #model: CallModel | undefined;
  readonly #functions: PlayedFunctions;

  constructor(
    private readonly scenario: PlacedScenario,
    private readonly stage: Stage,
    private readonly means: TestMeans,
    played: readonly string[],
  ) {
    const { voice } = means;
    const { caller, from, network, limit, model, expect } = scenario;
    this.#model = modelOf(model);
    this.#functions = new PlayedFunctions(scenario.tools, played);
    this.#faults = new PlantedFaults(scenario.faults, {
      killBot: () => stage.killBot(this.callId ?? ''),
      breakTunnel: (ms) => void stage.breakTunnel(ms),
      breakApi: (ms) => void stage.breakApi(ms),
    });
    this.#caller = new ScriptedCaller(
      caller,
      {
        characterMs: voice.characterMs,
        speak: (text) => voice.speak(text),
        play: (file) => voice.play(file),
        press: (digit) => this.#call.press(digit),
        said: (text) => {
          this.#call.spoke(text);
          this.#type(text);
        },
        hangUp: () => this.#call.hangUp(),
      },
      this.#over.signal,
      expect.end !== undefined && !expect.end.includes('caller_hung_up'),
    );
    this.#call = new LabCall(stage, {
      from,
      dialled: dialledBy(scenario),
      conditions: new LineConditions(network),
      onCallId: (callId) => this.#know(callId),
      onEvent: (event) => this.#note(event),
      exchange: (heard) => this.#exchange(heard),
      limitMs: limit,
    });
  }

  /** What its caller has done. */
  get acts(): readonly CallerAction[] {
    return this.#caller.acts;
  }

  async run(signal: AbortSignal): Promise<LiveStory> {
    try {
      await this.#rehearse();
      const end = isForScripted(this.scenario) ? await this.#dialScripted(signal) : await this.#call.run(signal);
      this.#failures.push(
        ...this.#caller.failures,
        ...(await this.#undone(end)),
        ...this.#functions.failuresIn(end.events, [...new Set(this.#questions.flatMap(({ tools }) => tools))]),
      );
      return this.#storyOf(end);
    } catch (error) {
      const happened = errorText(error);
      this.#failures.push({ field: 'call', expected: 'a call', happened });
      const nothing = {
        record: undefined,
        events: [],
        answeredAt: undefined,
        lengthMs: 0,
        lineLateMs: 0,
        audio: undefined,
      };
      return this.#storyOf(nothing);
    } finally {
      this.#over.abort();
      if (this.callId) this.means.scripts.forget(this.callId);
    }
  }

  /** On a busy machine a voice takes seconds: what is to be said in the middle of a sentence would come too late. */
  async #rehearse(): Promise<void> {
    const { caller } = this.scenario;
    if (!Array.isArray(caller)) return;
    await Promise.allSettled(textsIn(caller).map((text) => this.means.voice.speak(text))); // what fails is told when it is said
  }

  #exchange(heard: Uint8Array): Uint8Array | undefined {
    const { limit } = this.scenario;
    const said = this.#said(heard);
    if (this.#caller.ear.nowMs === 20) this.#faults.start(this.#over.signal);
    if (this.#caller.ear.nowMs === Math.ceil(limit / 20) * 20) {
      this.#failures.push({
        field: 'limit',
        expected: `an end within ${limit / 1_000} s`,
        happened: `the call went on${this.#caller.place ? `: the caller stood at ${this.#caller.place}` : ''}`,
        atMs: limit,
      });
      this.#call.hangUp();
    }
    return said;
  }

  /** What the caller says next. One that cannot go on, such as for want of a voice, hangs up. */
  #said(heard: Uint8Array): Uint8Array | undefined {
    if (this.#isLost) return undefined;
    try {
      return this.#caller.exchange(heard);
    } catch (error) {
      this.#isLost = true;
      const happened = errorText(error);
      this.#failures.push({
        field: 'caller',
        expected: 'that the caller goes on',
        happened,
        atMs: this.#caller.ear.nowMs,
      });
      this.#call.hangUp();
      return undefined;
    }
  }

  #storyOf({ record, events, answeredAt, lengthMs, lineLateMs, audio }: Omit<LabCallEnd, 'callId'>): LiveStory {
    const { killedAt } = this.#faults;
    const questions = this.#questions;
    const expected = 'an answer for everything that is asked';
    const unanswered = this.#unanswered.all.map((happened) => ({ field: 'model', expected, happened }) as const);
    const pressed = this.acts.flatMap(({ does, what }) => (does === 'press' ? [what] : [])).join('');
    const keys = receivedKeys(events, pressed);
    const of = { record, events, answeredAt, lengthMs, lineLateMs, audio };
    return { ...of, pressed, receivedKeys: keys, questions, killedAt, faults: [...unanswered, ...this.#failures] };
  }

  /** What the call has ended before: faults, and the steps of its caller. One that was ended at its limit has told where the caller stood. */
  async #undone({ record, answeredAt, lengthMs }: Omit<LabCallEnd, 'callId'>): Promise<Failure[]> {
    const reason = record?.endReason === undefined ? '' : ` (${record.endReason})`;
    const end = answeredAt === undefined ? `the call was not answered${reason}` : `the call had ended${reason}`;
    const unfired = this.#faults.unfired(end, lengthMs);
    const step = this.#caller.unfinished(end, lengthMs) ?? (await this.#caller.unsatisfied(end, lengthMs));
    const isTold = this.#failures.some(({ field }) => field === 'limit');
    return step && !isTold ? [...unfired, step] : unfired;
  }

  #note(event: TimelineEvent): void {
    this.#caller.note(event);
    this.#faults.note(event);
  }

  #know(callId: string): void {
    this.callId = callId;
    this.means.scripts.play(callId, ({ name }) => this.#functions.answer(name));
    if (this.scenario.services === 'scripted') this.means.scripts.serve(callId, (question) => this.#answer(question));
  }

  /** A bot that takes nothing typed has ears of its own, or none. */
  #type(text: string): void {
    if (this.scenario.services !== 'scripted' || !this.callId) return;
    void this.stage.client.type(this.callId, text).catch(() => {});
  }

  async #answer(question: ModelQuestion): Promise<StandInReply | undefined> {
    this.#questions.push({ ...question, at: Date.now() });
    this.#unanswered.ask(question);
    try {
      return await this.#model?.(question);
    } catch (error) {
      this.#unanswered.add(errorText(error));
      throw error;
    }
  }

  /** A number of the sandbox that acts by itself: the folder of the call has what was heard. */
  async #dialScripted(signal: AbortSignal): Promise<Omit<LabCallEnd, 'callId'>> {
    const { dialout, limit } = this.scenario;
    let callId = '';
    await this.stage.admit(async () => {
      signal.throwIfAborted();
      ({ callId } = await this.stage.client.start({ to: dialout?.to ?? '', body: dialout?.body ?? {}, query: {} }));
      this.#know(callId);
      return callId;
    });
    const answered = new Promise<void>((resolve) =>
      this.stage.calls.follow(callId, (event) => {
        this.#note(event);
        if (event.type === 'record' && event.record.answeredAt !== undefined) resolve();
      }),
    );
    void answered.then(() => this.#faults.start(this.#over.signal));
    signal.throwIfAborted();
    const over = this.stage.calls.over(callId, limit + 60_000);
    const { record, events } = await unlessAborted(over, signal); // with its stage, the call ends
    const { answeredAt, endedAt } = record ?? {};
    const lengthMs = answeredAt === undefined ? 0 : (endedAt ?? Date.now()) - answeredAt;
    if (lengthMs > limit) {
      const happened = `the call went on for ${inSeconds(lengthMs)}`;
      this.#failures.push({ field: 'limit', expected: `an end within ${limit / 1_000} s`, happened });
    }
    const ringingMs = answeredAt === undefined ? 0 : answeredAt - (recordingStartOf(events) ?? answeredAt);
    const [folder] = await findCallFolders(this.means.home, callId);
    return {
      record,
      events,
      answeredAt,
      lengthMs,
      lineLateMs: 0,
      audio: folder === undefined ? undefined : audioIn(folder, ringingMs),
    };
  }
}

/** A scripted phone of the sandbox takes the call: no telephone of the lab has to be there. */
const isForScripted = ({ dialout, caller }: PlacedScenario): boolean =>
  Array.isArray(caller) && caller.length === 0 && CALLEE_NUMBERS.some(({ number }) => number === dialout?.to);

let dialledSoFar = 0;

/** Each call has a number of its own where the scenario names none. */
function dialledBy({ dialout }: PlacedScenario) {
  if (!dialout) return undefined;
  dialledSoFar = (dialledSoFar + 1) % 10_000;
  const { to = `+1202556${String(dialledSoFar).padStart(4, '0')}`, body, outcome, rings, machine } = dialout;
  return { to, body, outcome, ringMs: rings, isMachine: machine };
}

/** The recording of a call, at 8000 Hz, without its first milliseconds; undefined where there is none. */
function audioIn(folder: string, withoutMs: number): LabCallEnd['audio'] {
  try {
    const { sampleRate, channels } = decodeWav(readFileSync(join(folder, 'audio.wav')));
    const at8k = (pcm: Int16Array = new Int16Array()): Int16Array =>
      sampleRate === 8_000 ? pcm : new Resampler(sampleRate, 8_000).process(pcm);
    const without = Math.max(0, Math.round(withoutMs * 8));
    return { caller: at8k(channels[0]).subarray(without), bot: at8k(channels[1]).subarray(without) };
  } catch {
    return undefined;
  }
}
