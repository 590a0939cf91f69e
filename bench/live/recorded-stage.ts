import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Wire } from '../../src/lab/scenario/scenario-result.js';
import type { Stage } from '../../src/lab/stage/stage.js';
import { dist } from '../processes/dist.js';
import type { PhoneCaller } from './phone-caller.js';

const { findCallFolders } =
  await dist<typeof import('../../src/call/folder/folder-name.js')>('call/folder/folder-name.js');
const { decodeWav } = await dist<typeof import('../../src/base/audio/wav.js')>('base/audio/wav.js');
const { silentLogger } = await dist<typeof import('../../src/base/logger.js')>('base/logger.js');
const { resolveConfig } = await dist<typeof import('../../src/config/config.js')>('config/config.js');
const { LabCall } = await dist<typeof import('../../src/lab/stage/lab-call.js')>('lab/stage/lab-call.js');
const stages = await dist<typeof import('../../src/lab/stage/stage.js')>('lab/stage/stage.js');

const BOT = fileURLToPath(new URL('bench/bots/live-speaker.ts', import.meta.resolve('voicebot/package.json')));
const CALLS_PER_PROCESS = 5;
const LIMIT_MS = 600_000;

/** The bot of the bench behind the real runner on a phone network of its own, each in a process of its own; every call is recorded. */
export class RecordedStage implements AsyncDisposable {
  static async open(wire: Wire, botEnvironment: Readonly<Record<string, string>>): Promise<RecordedStage> {
    const home = await mkdtemp(join(tmpdir(), 'voicebot-bench-'));
    const { PATH = '' } = process.env;
    const environment = { PATH, VOICEBOT_HOME: home };
    const flags = { callsPerProcess: CALLS_PER_PROCESS };
    const config = await resolveConfig({ flags, environment, directory: home });
    const stage = await stages.Stage.open({
      config,
      botFile: BOT,
      wire,
      services: 'real',
      botEnvironment,
      record: 'on',
      environment,
      logger: silentLogger,
    });
    return new RecordedStage(stage, home);
  }

  private constructor(
    private readonly stage: Stage,
    private readonly home: string,
  ) {}

  /** Calls the bot, and hangs up when the caller has done what they do. @returns what the folder of the call has of the bot */
  async call(
    from: string,
    caller: PhoneCaller,
    act: () => Promise<void>,
  ): Promise<{ readonly pcm: Int16Array; readonly sampleRate: number }> {
    const call = new LabCall(this.stage, {
      from,
      exchange: caller.exchange,
      onCallId: () => {},
      onEvent: () => {},
      limitMs: LIMIT_MS,
      keepsAudio: false,
    });
    const over = call.run();
    over.catch(() => {}); // told below
    const isCut = await Promise.race([act().then(() => false), over.then(() => true)]).finally(() => call.hangUp());
    const { callId = '', record } = await over;
    if (isCut) console.error(`a call was over before its time: ${record?.endReason}`);
    const [folder = ''] = await findCallFolders(this.home, callId);
    const { channels, sampleRate } = decodeWav(await readFile(join(folder, 'audio.wav')));
    return { pcm: channels[1] ?? channels[0], sampleRate };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage.close();
    await rm(this.home, { recursive: true, force: true });
  }
}
