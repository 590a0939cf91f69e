import { type OptionNames, unknownOptions } from '../../../base/names/option-names.js';
import type { RoomTranscriptionOptions } from '../../../providers/rooms/room-connection.js';

export type { RoomTranscriptionOptions };

/** Whether the room provider is to transcribe, and how. */
export type RoomTranscription = boolean | RoomTranscriptionOptions;

const NAMES: OptionNames<RoomTranscriptionOptions> = {
  language: true,
  model: true,
  endpointingMs: true,
  interim: true,
  punctuate: true,
  extra: true,
};
const FIELD = 'transcriptionEnabled';

/** @returns a sentence for each thing that is wrong */
export function transcriptionProblems(given: unknown): string[] {
  if (given === undefined || typeof given === 'boolean') return [];
  if (Object(given) !== given || Array.isArray(given)) return [`${FIELD} must be true, false or an object`];
  const options = given as Readonly<Record<keyof RoomTranscriptionOptions, unknown>>;
  const { endpointingMs: ms, extra } = options;
  const isWithin = typeof ms === 'number' && ms >= 10 && ms <= 10_000;
  const rules: Array<[isMet: boolean, problem: string]> = [
    ...(['language', 'model'] as const).map((name): [boolean, string] => [
      options[name] === undefined || (typeof options[name] === 'string' && options[name].trim() !== ''),
      `${FIELD}.${name} must be text`,
    ]),
    ...(['interim', 'punctuate'] as const).map((name): [boolean, string] => [
      options[name] === undefined || typeof options[name] === 'boolean',
      `${FIELD}.${name} must be true or false`,
    ]),
    [
      ms === undefined || ms === false || isWithin,
      `${FIELD}.endpointingMs must be 10 to 10000, or false, got ${String(ms)}`,
    ],
    [extra === undefined || (Object(extra) === extra && !Array.isArray(extra)), `${FIELD}.extra must be an object`],
  ];
  const wrong = rules.filter(([isMet]) => !isMet).map(([, problem]) => problem);
  return [...unknownOptions(options, NAMES, `${FIELD}.`), ...wrong];
}
