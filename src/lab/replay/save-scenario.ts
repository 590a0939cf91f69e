import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { encodeWav } from '../../base/audio/wav.js';
import type { ScenarioOptions } from '../scenario/scenario-options.js';
import type { Clip } from './scenario-of-call.js';

/** The folder for the sounds of a scenario, beside its file. */
export const clipFolderOf = (file: string): string => `${basename(file).replace(/\.ya?ml$/, '')}-sounds/`;

/** Writes the sounds of a scenario. @param directory that of the scenario's file @param clipFolder within it */
export function writeClips(clips: readonly Clip[], directory: string, clipFolder: string): void {
  if (clips.length === 0) return;
  mkdirSync(join(directory, clipFolder), { recursive: true });
  for (const { name, pcm, sampleRate } of clips)
    writeFileSync(join(directory, clipFolder, name), encodeWav({ sampleRate, channels: [pcm], encoding: 'L16' }));
}

/** @param file absolute path; a file that is there is replaced @param head what its first lines say */
export function writeScenario(
  file: string,
  options: ScenarioOptions,
  clips: readonly Clip[],
  head: readonly string[],
): void {
  mkdirSync(dirname(file), { recursive: true });
  writeClips(clips, dirname(file), clipFolderOf(file));
  const comment = head.map((line) => `# ${line.replaceAll('\n', ' ')}\n`).join('');
  writeFileSync(file, comment + stringify(options, { lineWidth: 120, aliasDuplicateObjects: false }));
}
