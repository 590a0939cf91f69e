import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeWav } from '../../../src/base/audio/wav.js';
import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { findCallFolders } from '../../../src/call/folder/folder-name.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import type { Rig } from '../conformance/rig.js';
import type { TimedPhone } from './timed-phone.js';

export const CALLEE = '+12025550177';
export const TEXT = 'Hello. You are talking to a machine.';
export const disclosingBot = fileURLToPath(new URL('disclosing-bot.ts', import.meta.url));
/** What counts as sound in a recording. */
const LOUD = 200;

/** The record of a call that is over. */
export async function overRecord(rig: Rig, id: string): Promise<CallRecord> {
  await rig.reaches(id, 'ended');
  return rig.records.all.findLast((record) => record.id === id) as CallRecord;
}

/** The folder of a call that is over, when all of it is there. */
export async function writtenFolder(rig: Pick<Rig, 'runner' | 'stateDirectory'>, id: string): Promise<string> {
  await rig.runner.folders.written(asCallId(id));
  const [path = ''] = await findCallFolders(rig.stateDirectory, id);
  return path;
}

/** When the bot's first words began and ended in the recording, milliseconds since the Unix epoch; more than half a second of silence ends them. */
export async function recordedWords(rig: Rig, id: string): Promise<{ from: number; to: number; toneFrom: number }> {
  const path = await writtenFolder(rig, id);
  const { audio } = await readCallFolder(path);
  if (!audio) throw new Error(`nothing is recorded of ${id}`);
  const { channels, sampleRate } = decodeWav(readFileSync(audio.path));
  const bot = channels[1] as Int16Array;
  const first = bot.findIndex((sample) => Math.abs(sample) > LOUD);
  let last = first;
  for (let n = first; n < bot.length && n - last < sampleRate * 1.2; n += 1)
    if (Math.abs(bot[n] as number) > LOUD) last = n;
  const at = (sample: number) => audio.startedAt + (sample * 1_000) / sampleRate;
  const tone = bot.findIndex((sample, n) => n > last && Math.abs(sample) > LOUD);
  return { from: at(first), to: at(last + 1), toneFrom: at(tone) };
}

/** What the callee has heard: the words that came before the tone, and the tone. */
export function heardBy(phone: TimedPhone) {
  const { sounds } = phone;
  const tone = sounds.find(({ isTone }) => isTone);
  return { tone, words: sounds.filter((sound) => !sound.isTone && sound.from < (tone?.from ?? Infinity)) };
}
