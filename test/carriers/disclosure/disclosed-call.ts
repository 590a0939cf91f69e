import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeWav } from '../../../src/base/audio/wav.js';
import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { WordTimes } from '../../../src/call/disclosure.js';
import { findCallFolders } from '../../../src/call/folder/folder-name.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { until } from '../../e2e/processes.js';
import type { RunnerOnSandbox } from '../../runner/runner-on-sandbox.js';
import type { TimedPhone } from './timed-phone.js';

export const CALLEE = '+12025550177';
export const TEXT = 'Hello. You are talking to a machine.';
export const disclosingBot = fileURLToPath(new URL('disclosing-bot.ts', import.meta.url));
const PATIENCE_MS = 120_000;
/** What counts as sound in a recording. */
const LOUD = 200;
/** Longer than any silence within the words, and shorter than that behind them, in seconds. */
const PAUSE_S = 1.2;

/** The record of a call that is over. */
export async function overRecord(rig: RunnerOnSandbox, id: string): Promise<CallRecord> {
  const latest = () => rig.records.all.findLast((record) => record.id === id);
  await until(() => latest()?.state === 'ended', `${id} is over`, PATIENCE_MS);
  return latest() as CallRecord;
}

/** The folder of a call that is over, when all of it is there. */
export async function writtenFolder(rig: RunnerOnSandbox, id: string): Promise<string> {
  await rig.runner.folders.written(asCallId(id));
  const [path = ''] = await findCallFolders(rig.stateDirectory, id);
  return path;
}

/** What a recording has of the words that began near a time: milliseconds since the Unix epoch. */
interface RecordedWords extends WordTimes {
  /** What the callee has said meanwhile. */
  readonly callee: WordTimes;
}

/** @param near when they began, within half a second; a longer silence than is between words ends them */
export async function recordedWords(rig: RunnerOnSandbox, id: string, near: number): Promise<RecordedWords> {
  const path = await writtenFolder(rig, id);
  const { audio } = await readCallFolder(path);
  if (!audio) throw new Error(`nothing is recorded of ${id}`);
  const { channels, sampleRate } = decodeWav(readFileSync(audio.path));
  const begin = Math.max(0, Math.round(((near - 500 - audio.startedAt) * sampleRate) / 1_000));
  const stretchOf = (side: Int16Array): WordTimes => {
    const first = side.findIndex((sample, n) => n >= begin && Math.abs(sample) > LOUD);
    let last = first;
    for (let n = first; n < side.length && n - last < sampleRate * PAUSE_S; n += 1)
      if (Math.abs(side[n] as number) > LOUD) last = n;
    const at = (sample: number) => audio.startedAt + (sample * 1_000) / sampleRate;
    return { from: at(first), to: at(last + 1) };
  };
  const [callee, bot] = channels as [Int16Array, Int16Array];
  return { ...stretchOf(bot), callee: stretchOf(callee) };
}

/** What the callee has heard: the words that came before the tone, and the tone. */
export function heardBy(phone: TimedPhone) {
  const { sounds } = phone;
  const tone = sounds.find(({ isTone }) => isTone);
  return { tone, words: sounds.filter((sound) => !sound.isTone && sound.from < (tone?.from ?? Infinity)) };
}
