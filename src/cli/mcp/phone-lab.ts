import { isPhoneNumber } from '../../call/phone-number.js';
import { findCallFolders } from '../../call-folder/folder-name.js';
import { readCallFolder } from '../../call-folder/read-call-folder.js';
import { ladderOf } from '../../call-view/ladder.js';
import type { Config } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { VoicebotError } from '../../errors.js';
import { silentLogger } from '../../logger.js';
import { DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { asStandInReply, RuleModel } from '../../scenario/rule-model.js';
import type { CheckedRule } from '../../scenario/scenario-schema.js';
import { WordPattern } from '../../scenario/words.js';
import { CallerVoice } from '../lab/caller-voice.js';
import { ScriptServer } from '../lab/script-server.js';
import { Stage } from '../lab/stage.js';
import { botFileOf } from '../run/create-runner.js';
import { endWords } from '../runners/end-words.js';
import { RunnerClient } from '../runners/runner-client.js';
import { RunningRunners } from '../runners/running-runners.js';
import type { CliContext } from '../terminal/context.js';
import { LabPhone } from './lab-phone.js';

/** Numbers of the offline network: the range kept for fiction. Every other one is somebody's. */
const FICTION = /^\+120255501\d\d$/;
const DEFAULT_FROM = '+12025550199';
const ANSWER_LIMIT_MS = 70_000;

export interface PhoneLabOptions {
  readonly config: Config;
  readonly context: CliContext;
  readonly usesReal: boolean;
}

/** A call of the lab as an agent is told of it. */
export interface ToldLabCall {
  readonly callId: string;
  readonly state: 'talking' | 'ended' | 'dialled';
  readonly text: string;
}

/** What an agent does with telephones: calls to the bot, or of the bot, on the offline network; real ones only where a person allows the number. */
export class PhoneLab {
  readonly #phones = new Map<string, LabPhone>();
  readonly #voice = new CallerVoice();
  #stage: Promise<{ readonly stage: Stage; readonly scripts: ScriptServer }> | undefined;
  #last: string | undefined;

  constructor(private readonly options: PhoneLabOptions) {}

  /** Calls the bot, or with `dial` has the bot call that number; resolves when it is answered. */
  async placeCall({ from = DEFAULT_FROM, dial, body = {}, model }: PlaceCall): Promise<ToldLabCall> {
    for (const number of [from, ...(dial === undefined ? [] : [dial])]) {
      if (!isPhoneNumber(number))
        throw new VoicebotError('VB_REQUEST_INVALID', `${number} is not a telephone number such as +12025550101`);
    }
    if (dial !== undefined && !FICTION.test(dial)) return await this.#dialReal(dial, body);
    const { stage, scripts } = await this.#opened();
    const dialled =
      dial === undefined
        ? undefined
        : { to: dial, body, outcome: 'answered' as const, ringMs: 1_000, isMachine: false };
    const phone = new LabPhone(stage, from, dialled, (callId) => {
      this.#phones.set(callId, phone);
      if (!model) return;
      const rules = new RuleModel(model);
      scripts.serve(callId, (question) => {
        const reply = rules.answer(question);
        return reply && asStandInReply(reply);
      });
    });
    const callId = await phone.callId();
    this.#last = callId;
    const isAnswered = await phone.answered(ANSWER_LIMIT_MS);
    return {
      callId,
      state: isAnswered ? 'talking' : 'ended',
      text: isAnswered ? 'The call is answered.' : this.#endOf(phone),
    };
  }

  async say(callId: string | undefined, text: string, talksOver: boolean, waitMs: number): Promise<string> {
    const { phone, id } = this.#phoneOf(callId);
    const isSaid = await phone.say(await this.#voice.speak(text), talksOver, waitMs);
    if (!isSaid) return `The call ended before everything was said. ${this.#endOf(phone)}`;
    const { stage } = await this.#opened();
    if (!this.options.usesReal) await stage.client.type(id, text).catch(() => {}); // a bot without speech to text
    return `${seconds(phone.nowMs)}  said: ${text}`;
  }

  async press(callId: string | undefined, keys: string): Promise<string> {
    const { phone } = this.#phoneOf(callId);
    try {
      await phone.press(keys);
    } catch (error) {
      throw new VoicebotError('VB_REQUEST_INVALID', `keys: ${(error as Error).message}`);
    }
    return `${seconds(phone.nowMs)}  pressed: ${keys}`;
  }

  /** Waits for words of the bot, until it has finished, or for the end of the call. */
  async waitFor(
    callId: string | undefined,
    what: 'words' | 'turn' | 'end',
    words: string | undefined,
    withinMs: number,
  ): Promise<{ isMet: boolean; text: string }> {
    const { phone } = this.#phoneOf(callId);
    const before = phone.talk.lines.length;
    let isMet: boolean;
    if (what === 'words') {
      const pattern = new WordPattern(words ?? '');
      if (pattern.isEmpty) throw new VoicebotError('VB_REQUEST_INVALID', 'words must have a letter or a digit in them');
      isMet = await phone.words(pattern, withinMs);
    } else if (what === 'turn') isMet = await phone.turn(withinMs);
    else
      isMet = await Promise.race([
        phone.over.then(() => true),
        new Promise<boolean>((resolve) => setTimeout(() => resolve(false), withinMs)),
      ]);
    const news = phone.talk.lines.slice(before).map(({ speaker, text }) => `${speaker}: ${text}`);
    const end = phone.end ? [this.#endOf(phone)] : [];
    const failed = isMet ? [] : [`Not within ${withinMs / 1_000} s.`];
    return { isMet, text: [`${seconds(phone.nowMs)}`, ...failed, ...news, ...end].join('\n') };
  }

  async transcript(callId: string | undefined): Promise<string> {
    const id = this.#idOf(callId);
    const phone = this.#phones.get(id);
    if (phone)
      return (
        phone.talk.lines.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n') || 'Nobody has said anything yet.'
      );
    const { transcript } = await this.#folderOf(id);
    return transcript.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n') || 'Nobody has said anything.';
  }

  async timeline(callId: string | undefined): Promise<string> {
    const id = this.#idOf(callId);
    const phone = this.#phones.get(id);
    const [path] = await findCallFolders(this.#home, id);
    const events = phone ? phone.events : (await this.#folderOf(id)).events;
    const origin = events[0]?.at ?? 0;
    const rows = ladderOf(events).map(({ at, from, to, label, detail }) => {
      const who = from === to ? from : `${from} -> ${to}`;
      return `${seconds(at - origin)}  ${who}: ${label}${detail ? ` (${detail.replace(/\s+/g, ' ').slice(0, 200)})` : ''}`;
    });
    return [...rows, ...(path ? [`Folder: ${path}`] : [])].join('\n');
  }

  async hangUp(callId: string | undefined): Promise<string> {
    const { phone } = this.#phoneOf(callId);
    phone.hangUp();
    await phone.over;
    return this.#endOf(phone);
  }

  /** Hangs up and gives everything back. */
  async close(): Promise<void> {
    for (const phone of this.#phones.values()) if (!phone.end) phone.hangUp();
    const opened = await this.#stage?.catch(() => undefined);
    await opened?.stage.close();
    await opened?.scripts.close();
  }

  get #home(): string {
    return stateDirectory(this.options.context.environment);
  }

  /** Where a person has allowed the number: over the account of a running runner. */
  async #dialReal(to: string, body: Readonly<Record<string, unknown>>): Promise<ToldLabCall> {
    const allowed = this.options.config.labNumbers ?? [];
    if (!allowed.includes(to)) {
      throw new VoicebotError(
        'VB_TARGET_REFUSED',
        `${to} is a real number, and this lab is offline: numbers from +12025550100 to +12025550199 are its own`,
        {
          hint: `A person may allow it: VOICEBOT_LAB_NUMBERS=${[...allowed, to].join(',')} in .env, with a runner on the account (npx voicebot run --dialin)`,
        },
      );
    }
    const { url, token, sandbox } = await new RunningRunners(this.#home).find({});
    if (sandbox) {
      throw new VoicebotError(
        'VB_RUNNER_NOT_FOUND',
        `the one at ${url} is on the sandbox, which reaches no real number`,
        {
          hint: 'Start one on the account: npx voicebot run --dialin',
        },
      );
    }
    const { callId } = await new RunnerClient(url, token).start({ to, body, query: {} });
    this.#last = callId;
    return {
      callId,
      state: 'dialled',
      text: `The bot calls ${to}. Nobody of the lab is at that telephone: follow it with timeline and transcript.`,
    };
  }

  /** Opened by the first call, so that an agent that only asks what there is waits for nothing. */
  #opened(): Promise<{ readonly stage: Stage; readonly scripts: ScriptServer }> {
    this.#stage ??= this.#open().catch((error: unknown) => {
      this.#stage = undefined; // the bot may be mended
      throw error;
    });
    return this.#stage;
  }

  async #open(): Promise<{ readonly stage: Stage; readonly scripts: ScriptServer }> {
    const { config, context, usesReal } = this.options;
    const scripts = await ScriptServer.start();
    try {
      const stage = await Stage.open({
        config,
        botFile: botFileOf(config, context.directory),
        wire: config.transport === 'rooms' ? 'rooms' : (config.carriers.carrier ?? DEFAULT_CARRIER),
        services: usesReal ? 'real' : 'scripted',
        scriptUrl: scripts.url,
        environment: context.environment,
        logger: silentLogger,
      });
      return { stage, scripts };
    } catch (error) {
      await scripts.close();
      throw error;
    }
  }

  #idOf(callId: string | undefined): string {
    const id = callId ?? this.#last;
    if (id !== undefined) return id;
    throw new VoicebotError('VB_REQUEST_INVALID', 'there has been no call yet', { hint: 'Use place_call first' });
  }

  #phoneOf(callId: string | undefined): { readonly phone: LabPhone; readonly id: string } {
    const id = this.#idOf(callId);
    const phone = this.#phones.get(id);
    if (phone && !phone.end) return { phone, id };
    const why = phone ? `call ${id} is over: ${this.#endOf(phone)}` : `call ${id} has no telephone of the lab`;
    throw new VoicebotError('VB_REQUEST_INVALID', why, {
      hint: 'Use transcript and timeline, or place_call for another one',
    });
  }

  async #folderOf(id: string) {
    const [path] = await findCallFolders(this.#home, id);
    if (path !== undefined) return await readCallFolder(path);
    throw new VoicebotError('VB_REQUEST_INVALID', `nothing is kept of a call ${id}`, {
      hint: 'List the calls: npx voicebot calls --all',
    });
  }

  #endOf({ end }: LabPhone): string {
    if (end === undefined) return 'The call goes on.';
    if (end instanceof Error) return `The call failed: ${end.message}`;
    const { record, lengthMs } = end;
    const why = record?.endReason ? endWords(record.endReason, record.direction) : 'the runner has not told why';
    return `The call ended after ${seconds(lengthMs)}: ${why}`;
  }
}

export interface PlaceCall {
  readonly from?: string | undefined;
  readonly dial?: string | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly model?: readonly CheckedRule[] | undefined;
}

const seconds = (ms: number) => `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
