import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { encodeWav } from '../../base/audio/wav.js';
import type { CallFolder } from '../../call/folder/read-call-folder.js';
import { allOf } from '../../call/view/events.js';
import type { Output } from '../../terminal/output.js';
import type { CalledFunction } from '../scenario/called-functions.js';
import type { ExpectOptions, ScenarioOptions } from '../scenario/scenario-options.js';
import { withoutPlaces } from '../scenario/scenario-table.js';
import { WordPattern } from '../scenario/words.js';
import { shownPath } from '../test/shown-path.js';
import { comparedCall } from './compared-call.js';
import { MASKED_NOTE, withMaskedDigits } from './masked-digits.js';
import { recordedModel } from './recorded-model.js';
import { type Clip, scenarioOfCall } from './scenario-of-call.js';

/** How a call is written as a scenario. */
export interface SaveWishes {
  /** Absolute path; a file that is there is replaced. */
  readonly file: string;
  /** As it was typed in the working directory. */
  readonly bot: string | undefined;
  readonly masksDigits: boolean;
}

/** Writes a recorded call as a scenario. @param directory the working directory */
export function saveScenario(
  folder: CallFolder,
  { file, bot, masksDigits }: SaveWishes,
  directory: string,
  output: Output,
): void {
  const { record } = folder;
  const name = basename(file)
    .replace(/\.ya?ml$/, '')
    .replace(/[-_]+/g, ' ');
  const { options, clips, notes: heard } = scenarioOfCall(folder, name, clipFolderOf(file));
  const notes = masksDigits ? [...heard, MASKED_NOTE] : heard;
  const { name: _, ...rest } = options;
  const model = recordedModel(folder.events);
  const scenario: ScenarioOptions = {
    name,
    ...(bot !== undefined && { bot: relative(dirname(file), resolve(directory, bot)) }),
    ...rest,
    ...(model.length > 0 && { model }),
    expect: recordedExpectation(folder),
  };
  writeScenario(file, masksDigits ? withMaskedDigits(scenario) : scenario, clips, [
    `The call ${record.id} of ${new Date(record.startedAt).toISOString()}.`,
    ...notes,
  ]);
  for (const note of notes) output.warn(note);
  output.event('replay_saved', { callId: record.id, file, sounds: clips.length, notes });
  const shown = shownPath(file, directory);
  output.line(`${shown} is a scenario of the call ${record.id}. Run it: npx voicebot test ${shown}`);
}

/** The folder for the sounds of a scenario, beside its file. */
const clipFolderOf = (file: string): string => `${basename(file).replace(/\.ya?ml$/, '')}-sounds/`;

/** Writes the sounds of a scenario. @param directory that of the scenario's file @param clipFolder within it */
export function writeClips(clips: readonly Clip[], directory: string, clipFolder: string): void {
  if (clips.length === 0) return;
  mkdirSync(join(directory, clipFolder), { recursive: true });
  for (const { name, pcm, sampleRate } of clips)
    writeFileSync(join(directory, clipFolder, name), encodeWav({ sampleRate, channels: [pcm], encoding: 'L16' }));
}

/** @param head what its first lines say */
function writeScenario(file: string, options: ScenarioOptions, clips: readonly Clip[], head: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeClips(clips, dirname(file), clipFolderOf(file));
  const comment = head.map((line) => `# ${line.replaceAll('\n', ' ')}\n`).join('');
  writeFileSync(file, comment + stringify(withoutPlaces(options), { lineWidth: 120, aliasDuplicateObjects: false }));
}

/** What a call like the recorded one must do. Lines that were interrupted are left out: where they are cut is not the same each time. */
function recordedExpectation(folder: CallFolder): ExpectOptions {
  const { lines, tools, keysIn, keysOut, transfers, endReason } = comparedCall(folder);
  const whole = lines.filter(
    ({ text, wasInterrupted }) => !wasInterrupted && !new WordPattern(text.replace(/^\/+/, '')).isEmpty,
  );
  const of = (speaker: 'caller' | 'bot') =>
    whole.filter((line) => line.speaker === speaker).map(({ text }) => text.replace(/^\/+/, ''));
  const [heard, understood] = [of('bot'), of('caller')];
  const isAsked = allOf(folder.events, 'model_asked').length > 0;
  const [transfer] = transfers;
  const outcome = transfer?.outcome as 'answered' | undefined;
  return {
    ...(heard.length > 0 && { heard }),
    ...(understood.length > 0 && { understood }),
    ...((isAsked || tools.length > 0) && {
      tools: tools.map(expectedFunction),
    }),
    ...(keysOut !== '' && { keys: keysOut }),
    ...(keysIn !== '' && !keysIn.includes('•') && { keysReceived: keysIn }),
    transfer: transfer ? { to: transfer.to, ...(outcome && { outcome }) } : 'none',
    ...(endReason && { end: endReason }),
  };
}

function expectedFunction({ name, input, returned }: CalledFunction) {
  const hasInput = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  const called = { name, ...(hasInput && { input: input as Record<string, unknown> }) };
  if (returned?.isError && returned.errorType !== 'cancelled') return { ...called, fails: true as const };
  const result = returned?.isError ? undefined : (returned?.output ?? undefined);
  if (result !== undefined) return { ...called, result };
  return hasInput ? called : name;
}
