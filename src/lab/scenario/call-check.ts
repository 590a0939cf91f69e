import { z } from 'zod';
import type { CallDirection, EndReason } from '../../call/call.js';
import { text } from './fields.js';
import type { JudgedCall } from './judge.js';

/** A call that is over, as a check of its scenario sees it. */
export interface CheckedCall extends Omit<JudgedCall, 'tools' | 'endReason'> {
  /** The runner's identifier: what the bot has as `call.id`. */
  readonly id: string;
  readonly direction: CallDirection;
  /** E.164; undefined where the caller's number is withheld. */
  readonly from: string | undefined;
  /** E.164. */
  readonly to: string;
  readonly endReason: EndReason | undefined;
  /** From the answer to the end, in milliseconds. */
  readonly lengthMs: number;
  /** The functions that the model has called, in order: what each gave, or the words of its error. */
  readonly tools: ReadonlyArray<{
    readonly name: string;
    readonly input: unknown;
    readonly result?: unknown;
    readonly error?: string;
  }>;
  /** The caller's keys that the bot has received, in order. */
  readonly keys: string;
  /** Everything that was noted of the call, as its folder has it in `events.ndjson`. `at`: milliseconds since the Unix epoch. */
  readonly events: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly type: string; readonly at: number }>;
  /** Absolute path of the call's folder, where there is one. */
  readonly folder: string | undefined;
  /** What the scenario adds to the bot's environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Looks at what a call has left behind, such as a booking that the bot has stored. It throws, or gives a text, where something is wrong; the
 * signal is aborted when it has taken 30 s, or the test is ended.
 *
 * ```ts
 * export const isBooked: CallCheck = async ({ tools }) => {
 *   const [booking] = JSON.parse(await readFile('bookings.json', 'utf8'));
 *   assert.deepEqual(booking, tools.at(-1)?.input);
 * };
 * ```
 */
export type CallCheck = (
  call: CheckedCall,
  signal: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return statement gives
) => string | boolean | null | undefined | void | Promise<string | boolean | null | undefined | void>;

/** A check as a scenario has it. */
export interface NamedCheck {
  /** For people. */
  readonly name: string;
  /** Where it is; undefined for a function in the scenario itself. Of a placed scenario an absolute path. */
  readonly file: string | undefined;
  /** What the file exports it as. */
  readonly exported: string;
  /** Of the scenario's file, where the check is named. */
  readonly line?: number | undefined;
  /** Undefined until its file is loaded. */
  readonly run: CallCheck | undefined;
}

/** What the file of a check exports it as where its scenario names nothing else. */
const DEFAULT_EXPORT = 'default';

const WRITTEN = /^(?<file>[^#]+\.[mc]?[jt]s)(?:#(?<exported>[\p{ID_Start}$_][\p{ID_Continue}$]*))?$/u;

/** A file such as `./booked.ts`, or `./checks.ts#isBooked`. */
const writtenCheck = text.transform((written, context): NamedCheck => {
  const { file, exported = DEFAULT_EXPORT } = WRITTEN.exec(written)?.groups ?? {};
  if (file !== undefined) return { name: written, file, exported, run: undefined };
  context.addIssue({
    code: 'custom',
    message: 'must be a file with a function, such as ./booked.ts, or ./checks.ts#isBooked for one of several',
  });
  return z.NEVER;
});

const givenCheck = z
  .custom<CallCheck>()
  .transform((run): NamedCheck => ({ name: run.name || 'check', file: undefined, exported: DEFAULT_EXPORT, run }));

/** The schema for a check as it stands in a scenario. */
export const checkOf = (value: unknown): z.ZodType<NamedCheck> =>
  typeof value === 'function' ? givenCheck : writtenCheck;
