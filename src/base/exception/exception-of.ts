import { readFileSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { causeText } from '../error-text.js';
import { codeFrame, secretsOf, withoutSecrets } from './code-frame.js';
import type { Exception } from './exception.js';

/** A place in a file, as a stack names it. */
export interface CodePlace {
  /** Absolute path. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column?: number | undefined;
}

interface StackFrame extends CodePlace {
  /** The function, where it has a name. */
  readonly name: string | undefined;
}

/** A file as it was when it was loaded, and by how many characters the columns of its first line are moved. */
export interface LoadedFile {
  readonly text: string;
  readonly movedBy?: number;
}

export interface ExceptionOptions {
  /** What a file held when it was loaded. Default: what it holds now. */
  readonly loaded?: ((file: string) => LoadedFile | undefined) | undefined;
  /** Values that must not be shown. Default: those of the environment. */
  readonly secrets?: readonly string[];
}

const FRAME = /^\s+at (?:async )?(?:(.+?) \()?((?:file:\/\/)?(?:\/|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)\)?$/;
/** Where the code of this package is. */
const OURS = ['dist', 'src'].map((folder) => fileURLToPath(new URL(`../../../${folder}/`, import.meta.url)));
const MOST_CALLS = 5;

/** Whether the user has written a file: no package, and not this one. */
const isOwn = (file: string): boolean =>
  !file.split(sep).includes('node_modules') && !OURS.some((folder) => file.startsWith(folder));

/** What was thrown, where in the user's own files, and the code there. */
export function exceptionOf(thrown: unknown, options: ExceptionOptions = {}): Exception {
  const frames = thrown instanceof Error ? framesOf(thrown) : [];
  const { name, code, hint }: { name?: string; code?: string; hint?: string } = Object(thrown);
  const ours = name === 'VoicebotError' ? { ...(code && { code }), ...(hint && { hint }) } : {};
  return { ...exceptionIn(errorLines(thrown), frames, options), ...ours };
}

/** The same for a place that is known. @param error what is wrong there */
export const exceptionAt = (error: string, place: CodePlace | undefined, options: ExceptionOptions = {}): Exception =>
  exceptionIn(error, place ? [{ ...place, name: undefined }] : [], options);

function exceptionIn(
  error: string,
  [place, ...callers]: readonly StackFrame[],
  { loaded = () => undefined, secrets = secretsOf(process.env) }: ExceptionOptions,
): Exception {
  const shown = withoutSecrets(error, secrets);
  if (!place) return { error: shown };
  const source = loaded(place.file) ?? { text: textOf(place.file) };
  const moved = (frame: StackFrame): StackFrame => {
    const by = frame.line === 1 ? (loaded(frame.file)?.movedBy ?? 0) : 0;
    return by > 0 && frame.column !== undefined ? { ...frame, column: Math.max(1, frame.column - by) } : frame;
  };
  const { file, line, column } = moved(place);
  const frame = codeFrame(source.text, line, column, secrets);
  const calls = callers.slice(0, MOST_CALLS).map((caller) => callText(moved(caller)));
  return {
    error: shown,
    file: shownPath(file),
    line,
    ...(column !== undefined && { column }),
    ...(frame.length > 0 && { frame }),
    ...(calls.length > 0 && { calls }),
  };
}

const framesOf = ({ stack = '' }: Error): StackFrame[] => stack.split('\n').flatMap((text) => ownFrame(text) ?? []);

/** The place that a line of a stack names, in a file that the user has written; undefined for other files and other lines. */
export function ownFrame(text: string): StackFrame | undefined {
  const [, name, where, line, column] = FRAME.exec(text) ?? [];
  if (where === undefined) return undefined;
  const file = where.startsWith('file:') ? pathOf(where) : where;
  if (!isOwn(file)) return undefined;
  return { name: name?.replace(/^Object\./, ''), file, line: Number(line), column: Number(column) };
}

function errorLines(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? thrown : inspect(thrown);
  const { name, message } = thrown;
  const [first = '', ...more] = `${name}${message ? `: ${message}` : ''}`.split('\n');
  return [`${first}${causeText(thrown)}`, ...more].join('\n');
}

function callText({ name, file, line, column }: StackFrame): string {
  const where = [shownPath(file), line, column].filter((part) => part !== undefined).join(':');
  return name ? `${name} (${where})` : where;
}

/** As one would type it from here; whole where it lies elsewhere. */
function shownPath(file: string): string {
  const path = relative('', file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
