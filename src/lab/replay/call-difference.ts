import { isDeepStrictEqual } from 'node:util';
import type { TranscriptEntry } from '../../call/folder/transcript.js';
import { inSeconds } from '../../call/view/events.js';
import { type CalledFunction, functionWords } from '../scenario/called-functions.js';
import { bareWords } from '../scenario/words.js';
import type { ComparedCall } from './compared-call.js';

/** An item of a list in both calls, or in one of them only. */
export interface Edit {
  readonly is: 'same' | 'recorded' | 'now';
  /** For people. */
  readonly text: string;
}

/** What is compared of two calls under one heading. */
export interface Section {
  readonly field: 'transcript' | 'tools' | 'keys' | 'transfer' | 'end' | 'latency' | 'model' | 'call';
  readonly differs: boolean;
  readonly edits: readonly Edit[];
}

/** What differs between a recorded call and one of now. */
export interface CallDifference {
  readonly differs: boolean;
  readonly sections: readonly Section[];
}

/** Where an interruption cuts a line may differ by so many words. */
const CUT_WORDS = 4;
/** A time differs when it differs by so much, in milliseconds, and by this share of the longer one: a busy machine is late by less. */
const LATE_MS = 2_000;
const LATE_SHARE = 0.4;

/** @param problems of the call of now that the recorded one cannot have: questions without an answer, steps that were not done */
export function differenceOf(
  recorded: ComparedCall,
  now: ComparedCall,
  problems: ReadonlyArray<Pick<Section, 'field'> & { readonly text: string }>,
): CallDifference {
  const one = (field: Section['field'], before: string | undefined, after: string | undefined) =>
    sectionOf(field, before ? [before] : [], after ? [after] : [], (a, b) => a === b, String);
  const transferWords = ({ to, outcome }: ComparedCall['transfers'][number]) =>
    `to ${to}${outcome ? `: ${outcome}` : ''}`;
  const sections = [
    sectionOf('transcript', recorded.lines, now.lines, isSameLine, lineWords),
    sectionOf('tools', recorded.tools, now.tools, isSameFunction, functionWords),
    sectionOf('keys', keysOf(recorded), keysOf(now), (a, b) => a === b, String),
    sectionOf('transfer', recorded.transfers, now.transfers, isDeepStrictEqual, transferWords),
    one('end', recorded.endReason, now.endReason),
    latency(recorded, now),
    ...(['model', 'call'] as const).map((field): Section => {
      const edits = problems
        .filter((problem) => problem.field === field)
        .map(({ text }): Edit => ({ is: 'now', text }));
      return { field, differs: edits.length > 0, edits };
    }),
  ];
  return { differs: sections.some(({ differs }) => differs), sections };
}

/** A call that ended before a function had returned says nothing of its result. */
function isSameFunction(one: CalledFunction, other: CalledFunction): boolean {
  if (one.name !== other.name || !isDeepStrictEqual(one.input, other.input)) return false;
  if (!one.returned || !other.returned) return true;
  return (
    one.returned.isError === other.returned.isError && isDeepStrictEqual(one.returned.output, other.returned.output)
  );
}

/** What the recorded answers of a model do not depend on, and is another one now, a sentence each. */
export function changesOf({ asked: recorded }: ComparedCall, { asked: now }: ComparedCall): string[] {
  if (!recorded || !now) return [];
  const changed = Object.keys(recorded.functions).filter(
    (name) => now.functions[name] !== undefined && now.functions[name] !== recorded.functions[name],
  );
  const without = (some: object, others: object) => Object.keys(some).filter((name) => !(name in others));
  const named = (words: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${words}: ${names.join(', ')}.`];
  return [
    ...(recorded.prompt === now.prompt ? [] : ['The system prompt is another one than in the recorded call.']),
    ...named('Functions with another schema or description than in the recorded call', changed),
    ...named(
      'Functions that the model has now and had not in the recorded call',
      without(now.functions, recorded.functions),
    ),
    ...named(
      'Functions that the model had in the recorded call and has not now',
      without(recorded.functions, now.functions),
    ),
  ];
}

const keysOf = ({ keysIn, keysOut }: ComparedCall) => [
  ...(keysIn === '' ? [] : [`the caller pressed ${keysIn}`]),
  ...(keysOut === '' ? [] : [`the bot pressed ${keysOut}`]),
];

function sectionOf<T>(
  field: Section['field'],
  recorded: readonly T[],
  now: readonly T[],
  isSame: (one: T, other: T) => boolean,
  textOf: (one: T) => string,
): Section {
  const edits = aligned(recorded, now, isSame, textOf);
  return { field, edits, differs: edits.some(({ is }) => is !== 'same') };
}

/** Both lists in one, with as many common items as there can be. */
function aligned<T>(
  recorded: readonly T[],
  now: readonly T[],
  isSame: (one: T, other: T) => boolean,
  textOf: (one: T) => string,
): Edit[] {
  const width = now.length + 1;
  const common = new Uint32Array((recorded.length + 1) * width); // of what follows both places
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = recorded.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] = isSame(recorded[i] as T, now[j] as T)
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < recorded.length || j < now.length) {
    const [one, other] = [recorded[i], now[j]];
    if (i < recorded.length && j < now.length && isSame(one as T, other as T)) {
      edits.push({ is: 'same', text: textOf(one as T) });
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < recorded.length && at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ is: 'recorded', text: textOf(one as T) });
      i += 1;
    } else {
      edits.push({ is: 'now', text: textOf(other as T) });
      j += 1;
    }
  }
  return edits;
}

/** The words count; of a line that was interrupted those that were meant, up to where the shorter one goes. */
export function isSameLine(one: TranscriptEntry, other: TranscriptEntry): boolean {
  if (one.speaker !== other.speaker) return false;
  const [heard, otherHeard] = [bareWords(one.text), bareWords(other.text)];
  if (heard === otherHeard) return true;
  if (!one.wasInterrupted && !other.wasInterrupted) return false;
  const [meant, otherMeant] = [one, other].map(({ text, unheard = '' }) => bareWords(`${text} ${unheard}`)) as [
    string,
    string,
  ];
  const [shorter, longer] = meant.length < otherMeant.length ? [meant, otherMeant] : [otherMeant, meant];
  const count = (text: string) => text.split(' ').filter(Boolean).length;
  return longer.startsWith(shorter) && Math.abs(count(heard) - count(otherHeard)) <= CUT_WORDS;
}

const lineWords = ({ speaker, text, unheard, wasInterrupted }: TranscriptEntry) =>
  [`${speaker.padEnd(6)} `, text, unheard && `[${unheard}]`, wasInterrupted && '(interrupted)']
    .filter(Boolean)
    .join(' ');

/** Told as a difference only between calls whose services are of the same kind. */
function latency(recorded: ComparedCall, now: ComparedCall): Section {
  const isAlike = recorded.hasStandIns === now.hasStandIns;
  const edits = (['firstWordMs', 'answerMs'] as const).flatMap((name): Edit[] => {
    const [before, after] = [recorded[name], now[name]];
    if (before === undefined || after === undefined) return [];
    const what = name === 'firstWordMs' ? 'first word' : 'answers, median';
    const words = (ms: number) => `${what} ${inSeconds(ms)}`;
    const by = Math.abs(after - before);
    const isFar = isAlike && by > LATE_MS && by > LATE_SHARE * Math.max(before, after);
    if (!isFar) return [{ is: 'same', text: `${words(before)}, now ${inSeconds(after)}` }];
    return [
      { is: 'recorded', text: words(before) },
      { is: 'now', text: words(after) },
    ];
  });
  return { field: 'latency', edits, differs: edits.some(({ is }) => is !== 'same') };
}
