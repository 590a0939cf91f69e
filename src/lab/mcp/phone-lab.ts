import { settlesWithin } from '../../base/async/deadline.js';
import type { KeyPress } from '../../base/audio/dtmf-script.js';
import { VoicebotError } from '../../base/errors.js';
import { findCallFolders } from '../../call/folder/folder-name.js';
import { readCallFolder } from '../../call/folder/read-call-folder.js';
import { stateDirectory } from '../../config/environment.js';
import { callTime, saidLines, timelineLines, transcriptLines } from '../scenario/call-lines.js';
import type { CheckedRule } from '../scenario/scenario-schema.js';
import type { WordPattern } from '../scenario/words.js';
import { CallerVoice } from '../stage/caller-voice.js';
import type { LabLine } from './lab-line.js';
import { LabPhone } from './lab-phone.js';
import { LabStage, type LabStageOptions } from './lab-stage.js';
import { checkAllowed, dialReal, isReal, RealCall } from './real-call.js';

const ANSWER_LIMIT_MS = 70_000;
const RING_MS = 1_000;
/** How long a caller who wants to speak lets the bot speak, in milliseconds. */
const SAY_WAIT_MS = 30_000;
/** How long calls may take to end when the lab closes, in milliseconds. */
const END_LIMIT_MS = 1_500;

export interface LabCallRequest {
  /** E.164. */
  readonly from: string;
  /** E.164. Default: the telephone calls the bot. */
  readonly dial?: string | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly model?: readonly CheckedRule[] | undefined;
}

/** What an agent is told: of which call, how it stands, and lines to read. */
export interface LabReport {
  readonly callId: string;
  /** `real`: the runner on the account makes it, and the lab is not at the telephone. */
  readonly state: 'talking' | 'real' | 'ended';
  /** Of what was waited for: whether it has come. */
  readonly met?: boolean;
  readonly lines: readonly string[];
  /** Of the call: its sound and all that is known of it. */
  readonly folder?: string | undefined;
}

/** What an agent does with telephones: calls to the bot, or of the bot, on the offline network; real ones only where a person allows the number. */
export class PhoneLab {
  readonly #calls = new Map<string, LabPhone | RealCall>();
  /** How many of the lines that were said the agent has been told. */
  readonly #told = new Map<string, number>();
  readonly #voice = new CallerVoice();
  #stage: Promise<LabStage> | undefined;
  #last: string | undefined;

  constructor(private readonly options: LabStageOptions) {}

  /** Calls the bot, or has it call; resolves when it is answered, or is over. @throws VoicebotError VB_TARGET_REFUSED for a real number */
  async placeCall(request: LabCallRequest, signal: AbortSignal): Promise<LabReport> {
    const { from, dial, body = {}, model } = request;
    if (dial !== undefined && isReal(dial)) return await this.#dialReal(dial, body);
    const opened = await this.#readyStage();
    const dialled = dial === undefined ? undefined : { to: dial, body, outcome: 'answered' as const, ringMs: RING_MS };
    const phone = new LabPhone(opened.stage, {
      from,
      dialled: dialled && { ...dialled, isMachine: false },
      onCallId: (callId) => {
        this.#calls.set(callId, phone);
        if (model) opened.script(callId, model);
      },
    });
    const callId = await phone.callId();
    this.#last = callId;
    const isAnswered = await phone.answered(ANSWER_LIMIT_MS, signal);
    return this.#report(callId, phone, {
      lines: isAnswered ? ['The call is answered.'] : ['The call is not answered.'],
    });
  }

  /** @param talksOver does not wait for the bot to finish */
  async say(callId: string | undefined, text: string, talksOver: boolean, signal: AbortSignal): Promise<LabReport> {
    const { id, phone } = this.#phoneOf(callId);
    const audio = await this.#voice.speak(text);
    const { atMs, isSaid } = await phone.say(audio, text, talksOver ? 0 : SAY_WAIT_MS, signal);
    const { stage } = await this.#opened();
    if (isSaid && !this.options.usesReal) await stage.client.type(id, text).catch(() => {}); // its bot may take nothing typed
    const line = isSaid ? `${callTime(atMs)}  you said: ${text}` : 'The call ended before everything was said.';
    return this.#report(id, phone, { lines: [line] });
  }

  async press(callId: string | undefined, keys: readonly KeyPress[], signal: AbortSignal): Promise<LabReport> {
    const { id, phone } = this.#phoneOf(callId);
    const isPressed = await phone.press(keys, signal);
    const digits = keys.map(({ digit }) => digit).join(' ');
    const line = isPressed
      ? `${callTime(phone.nowMs)}  you pressed: ${digits}`
      : 'The call ended before everything was pressed.';
    return this.#report(id, phone, { lines: [line] });
  }

  /** Waits for words of the bot, until it has finished, or for the end of the call. */
  async waitFor(
    callId: string | undefined,
    what: WordPattern | 'turn' | 'end',
    withinMs: number,
    signal: AbortSignal,
  ): Promise<LabReport> {
    const { id, line } = this.#lineOf(callId);
    let met: boolean;
    if (what === 'end') met = await line.ended(withinMs, signal);
    else if (what !== 'turn') met = await line.words(what, withinMs, signal);
    else if (line instanceof LabPhone) met = await line.turn(withinMs, signal);
    else throw this.#noPhone(id, line);
    const late = `${callTime(line.nowMs)}  not within ${withinMs / 1_000} s`;
    return this.#report(id, line, { met, lines: met || line.end !== undefined ? [] : [late] });
  }

  async transcript(callId: string | undefined): Promise<LabReport> {
    return this.#story(this.#idOf(callId), transcriptLines);
  }

  async timeline(callId: string | undefined): Promise<LabReport> {
    return this.#story(this.#idOf(callId), timelineLines);
  }

  /** The calls of this lab, oldest first. */
  list(): readonly LabReport[] {
    return [...this.#calls].map(([callId, line]) => {
      const now = line.end ?? `The call goes on: ${callTime(line.nowMs)}`;
      return { callId, state: stateOf(line), lines: [now] };
    });
  }

  async hangUp(callId: string | undefined): Promise<LabReport> {
    const { id, line } = this.#lineOf(callId);
    if (line.end === undefined) {
      if (!(line instanceof LabPhone)) throw this.#noPhone(id, line);
      line.hangUp();
      await line.over;
    }
    return this.#report(id, line, {});
  }

  /** Hangs up and gives everything back. */
  async close(): Promise<void> {
    const over: Array<Promise<void>> = [];
    for (const line of this.#calls.values()) {
      if (line instanceof RealCall) line.leave();
      else if (line.end === undefined) {
        line.hangUp();
        over.push(line.over);
      }
    }
    await settlesWithin(Promise.all(over), END_LIMIT_MS);
    const opened = await this.#stage?.catch(() => undefined);
    await opened?.close();
  }

  get #home(): string {
    return stateDirectory(this.options.context.environment);
  }

  async #dialReal(to: string, body: Readonly<Record<string, unknown>>): Promise<LabReport> {
    checkAllowed(to, this.options.config.labNumbers ?? []);
    const { callId, call } = await dialReal(this.#home, to, body);
    this.#calls.set(callId, call);
    this.#last = callId;
    const lines = [`The bot of ${call.url} calls ${to}.`, 'The lab is not at that telephone: follow the call.'];
    return this.#report(callId, call, { lines });
  }

  /** Opened by the first call, so that an agent that only asks what there is waits for nothing. */
  #opened(): Promise<LabStage> {
    this.#stage ??= LabStage.open(this.options).catch((error: unknown) => {
      this.#stage = undefined; // the bot may be mended
      throw error;
    });
    return this.#stage;
  }

  /** With the bot as it is saved now. */
  async #readyStage(): Promise<LabStage> {
    const isFirst = this.#stage === undefined;
    const opened = await this.#opened();
    if (!isFirst) await opened.reload();
    return opened;
  }

  /** Tells what was said since the agent was told last, and the end. */
  #report(callId: string, line: LabLine, { met, lines = [] }: { met?: boolean; lines?: readonly string[] }): LabReport {
    const said = saidLines(line.events);
    const news = said.slice(this.#told.get(callId) ?? 0);
    this.#told.set(callId, said.length);
    const end = line.end === undefined ? [] : [line.end];
    return { callId, state: stateOf(line), ...(met !== undefined && { met }), lines: [...news, ...lines, ...end] };
  }

  async #story(callId: string, linesOf: (events: LabLine['events']) => string[]): Promise<LabReport> {
    const line = this.#calls.get(callId);
    const [folder] = await findCallFolders(this.#home, callId);
    if (line) {
      const lines = linesOf(line.events);
      const end = line.end === undefined ? [] : [line.end];
      return { callId, state: stateOf(line), lines: [...lines, ...end], folder };
    }
    if (folder === undefined) throw this.#unknown(callId);
    const { events, isLive } = await readCallFolder(folder);
    return { callId, state: isLive ? 'talking' : 'ended', lines: linesOf(events), folder };
  }

  #idOf(callId: string | undefined): string {
    const id = callId ?? this.#last;
    if (id !== undefined) return id;
    throw new VoicebotError('VB_REQUEST_INVALID', 'there has been no call yet', { hint: 'Use place_call first' });
  }

  #lineOf(callId: string | undefined): { readonly id: string; readonly line: LabPhone | RealCall } {
    const id = this.#idOf(callId);
    const line = this.#calls.get(id);
    if (line) return { id, line };
    throw this.#unknown(id);
  }

  /** For what only a call that goes on, with a telephone of the lab in it, can have done to it. */
  #phoneOf(callId: string | undefined): { readonly id: string; readonly phone: LabPhone } {
    const { id, line } = this.#lineOf(callId);
    if (!(line instanceof LabPhone)) throw this.#noPhone(id, line);
    if (line.end === undefined) return { id, phone: line };
    throw new VoicebotError('VB_REQUEST_INVALID', `call ${id} is over. ${line.end}`, {
      hint: 'Use transcript and timeline, or place_call for another one',
    });
  }

  #noPhone(id: string, { url }: RealCall): VoicebotError {
    const why = `no telephone of the lab is in call ${id}: the runner at ${url} makes it, to a real number`;
    return new VoicebotError('VB_REQUEST_INVALID', why, {
      hint: 'Use transcript, timeline, and wait_for with words or end. The call ends when the bot, the person or the runner ends it',
    });
  }

  #unknown(id: string): VoicebotError {
    return new VoicebotError('VB_REQUEST_INVALID', `the lab knows no call ${id}`, {
      hint: 'Use list_calls for those of this lab; those of other runs: npx voicebot calls --all',
    });
  }
}

function stateOf(line: LabLine): LabReport['state'] {
  if (line.end !== undefined) return 'ended';
  return line instanceof RealCall ? 'real' : 'talking';
}
