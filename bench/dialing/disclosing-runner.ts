/** The real runner, which records its calls; it tells who has a call, and what its record and its folder say. */
import { readFileSync } from 'node:fs';
import type { Frame } from '../../src/bot/pipeline/frames/index.js';
import type { CallId } from '../../src/call/call-id.js';
import type { CallRecord } from '../../src/call/call-record.js';
import { plivoAccount } from '../processes/account.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';
import { startRunner } from '../processes/start-runner.js';
import { SENTENCE } from './sentence.js';
import { isTone } from './tone.js';

const [botFile = '', apiUrl = '', phoneNumber = ''] = process.argv.slice(2);
const { plivo } = await dist<typeof import('../../src/providers/plivo/provider.js')>('providers/plivo/provider.js');
const { decodeWav } = await dist<typeof import('../../src/base/audio/wav.js')>('base/audio/wav.js');
const { findCallFolders } =
  await dist<typeof import('../../src/call/folder/folder-name.js')>('call/folder/folder-name.js');
const { readCallFolder } = await dist<typeof import('../../src/call/folder/read-call-folder.js')>(
  'call/folder/read-call-folder.js',
);

const { encodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');
const { FliteTTS } = await dist<typeof import('../../src/bot/services/tts/flite-tts.js')>(
  'bot/services/tts/flite-tts.js',
);
const { FrameProcessor } = await dist<typeof import('../../src/bot/pipeline/frame-processor.js')>(
  'bot/pipeline/frame-processor.js',
);
const { OutputAudioFrame, StartFrame, TTSSpeakFrame } =
  await dist<typeof import('../../src/bot/pipeline/frames/index.js')>('bot/pipeline/frames/index.js');

/** Keeps the sound that comes to it, mu-law at 8000 Hz. */
class Collector extends FrameProcessor {
  readonly sounds: Uint8Array[] = [];

  override process(frame: Frame): void {
    if (frame instanceof OutputAudioFrame) this.sounds.push(encodeMulaw(frame.pcm));
  }
}

const pids = new Map<string, number>();
const records = new Map<string, CallRecord>();
/** When the bot of a call knew that it was heard. */
const acknowledgedAt = new Map<string, number>();
const starting = startRunner({
  botFile,
  provider: {
    kind: 'carrier',
    carrier: plivo,
    credentials: { ...plivoAccount, apiUrl },
    machineDetection: 'off',
  },
  phoneNumber,
  recording: 'always',
  warm: 4,
  dialCountries: ['US'],
  dialLimits: { perMinute: 1_000_000, atOnce: 1_000, secondsPerNumber: 0 },
  botEnvironment: {
    CARRIER_AUTH_ID: plivoAccount.authId,
    CARRIER_AUTH_TOKEN: plivoAccount.authToken,
    CARRIER_API_URL: apiUrl,
  },
});
void starting.then(({ runner }) => {
  runner.on('call', (record) => records.set(record.id, record));
  runner.on('noted', (id, event) => {
    if (event.type === 'notice_heard' && !acknowledgedAt.has(id)) acknowledgedAt.set(id, event.at);
  });
  runner.on('bot_output', (line) => {
    if (!line.startsWith('{"id"')) return;
    const { id, pid } = JSON.parse(line) as { id: string; pid: number };
    pids.set(id, pid);
  });
});

/** What counts as sound. */
const LOUD = 200;
/** Words that begin so long before the record says so are seen as such; what a bot that was killed had said before is not, in milliseconds. */
const BEFORE_MS = 60;
/** Silence that ends the words, in seconds. */
const PAUSE_S = 1.2;

const isLoudEnough = (sample: number) => Math.abs(sample) > LOUD / 4;

/** Where the tone behind the words begins, or the recording ends. */
function toneIn(bot: Int16Array, from: number, sampleRate: number): number {
  const frame = sampleRate / 50;
  for (let at = from; at + frame <= bot.length; at += frame) {
    if (!isTone(bot.subarray(at, at + frame))) continue;
    let begin = at;
    // it began within the frame before, and is silent for a sample wherever it crosses zero
    while (begin > at - frame && bot.subarray(Math.max(from, begin - 4), begin).some(isLoudEnough)) begin -= 1;
    return begin;
  }
  return bot.length;
}

const questions = {
  async dial(phoneNumber: string): Promise<string> {
    return (await (await starting).runner.dial({ phoneNumber, body: {}, parameters: {} })).callId;
  },
  /** @returns false: no bot has the call, yet or any more */
  kill(id: string): boolean {
    const pid = pids.get(id);
    if (pid === undefined) return false;
    try {
      return process.kill(pid, 'SIGKILL');
    } catch {
      return false;
    }
  },
  /** The sentence as the bot's voice says it: mu-law at 8000 Hz, base64. */
  async sentence(): Promise<string> {
    const [voice, collector] = [new FliteTTS(), new Collector()];
    voice.link(collector);
    voice.receive(new StartFrame(8_000, 8_000), 'downstream');
    const said = new TTSSpeakFrame(SENTENCE, { appendToContext: false });
    voice.receive(said, 'downstream');
    await said.synthesised;
    voice.cleanup();
    return Buffer.concat(collector.sounds).toString('base64');
  },
  record: (id: string): CallRecord | undefined => records.get(id),
  acknowledgedAt: (id: string): number | undefined => acknowledgedAt.get(id),
  /** Where sounds of the bot are in the recording nearest to these times: milliseconds since the Unix epoch. */
  async recorded(id: string, near: number): Promise<{ from: number; to: number } | undefined> {
    const { runner, stateDirectory } = await starting;
    await runner.folders.written(id as CallId);
    const [path = ''] = await findCallFolders(stateDirectory, id);
    const { audio } = await readCallFolder(path);
    if (!audio) return undefined;
    const { channels, sampleRate } = decodeWav(readFileSync(audio.path));
    const bot = channels[1] as Int16Array;
    const begin = Math.max(0, Math.round(((near - BEFORE_MS - audio.startedAt) * sampleRate) / 1_000));
    const first = bot.findIndex((sample, n) => n >= begin && Math.abs(sample) > LOUD);
    const end = toneIn(bot, first, sampleRate);
    let last = first;
    for (let n = first; n < end && n - last < PAUSE_S * sampleRate; n += 1)
      if (Math.abs(bot[n] as number) > LOUD) last = n;
    const at = (sample: number) => audio.startedAt + (sample * 1_000) / sampleRate;
    return { from: at(first), to: at(last + 1) };
  },
};
export type DisclosingRunner = typeof questions;

answer(questions, async () => (await starting).stop());
