/** What a file of the user's has failed with, and where: as it is shown to people, and told to programs. JSON. */
export interface Exception {
  /** `TypeError: no such menu`, with what it comes from; of several lines where the message has several. */
  readonly error: string;
  /** The file, as one would type it from the folder that the program was started in. Missing where none of the user's own is known. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** The line, with the one before and the one after, their numbers, and a caret below the column. */
  readonly frame?: readonly string[];
  /** Of an error of this package: its code, and what to do. */
  readonly code?: string;
  readonly hint?: string;
  /** Who called it, in files of the user's own, the nearest first: `greet (helpers/greet.ts:8:31)`. */
  readonly calls?: readonly string[];
}

/** `bot.ts:7:22`; undefined where no place is known. */
export function placeOf({ file, line, column }: Exception): string | undefined {
  return file && [file, line, column].filter((part) => part !== undefined).join(':');
}

/** Two of them have the same cause: message and place. */
export const isSameException = (one: Exception, other: Exception): boolean =>
  one.error === other.error && placeOf(one) === placeOf(other);

/** What a line of a frame is: the one that failed, the caret below its column, or one beside it. */
export const frameLineKind = (line: string) =>
  line.startsWith('>') ? 'failing' : /^ +\| +\^$/.test(line) ? 'caret' : 'beside';

type ExceptionPart = readonly [
  kind: 'place' | ReturnType<typeof frameLineKind> | 'call' | 'hint' | 'code',
  line: string,
];

/** What stands below the message, a line each: the place, the lines there, the calls that led there, what to do, and the error's code. */
export function exceptionParts(exception: Exception): ExceptionPart[] {
  const place = placeOf(exception);
  const { frame = [], calls = [], hint, code } = exception;
  return [
    ...(place ? [['place', `  ${place}`] as const] : []),
    ...frame.map((line) => [frameLineKind(line), `  ${line}`] as const),
    ...calls.map((call) => ['call', `    at ${call}`] as const),
    ...(hint ? [['hint', `  ${hint}`] as const] : []),
    ...(code ? [['code', `  ${code}`] as const] : []),
  ];
}

export const exceptionLines = (exception: Exception): string[] => exceptionParts(exception).map(([, line]) => line);
