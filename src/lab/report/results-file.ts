import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';
import { countOf, passedRuns, type ReportedTest } from './reported-test.js';

const answersSchema = z.object({ medianMs: z.number(), worstMs: z.number() });

const lineSchema = z.object({
  version: z.literal(1),
  /** When the test began. */
  at: z.iso.datetime(),
  /** What git calls the commit that was tested. */
  commit: z.string().optional(),
  passed: z.number(),
  failed: z.number(),
  notRun: z.number(),
  skipped: z.number(),
  /** The lengths of all calls together, in milliseconds. */
  callsMs: z.number(),
  /** Per cent of what there is to touch; missing where it was not measured. */
  coverage: z.number().optional(),
  scenarios: z.array(
    z.object({
      name: z.string(),
      file: z.string(),
      wire: z.string(),
      outcome: z.string(),
      runs: z.number(),
      passedRuns: z.number(),
      answers: answersSchema.optional(),
    }),
  ),
});

/** A line of `results.jsonl`: what one test has come to. */
export type ResultLine = z.infer<typeof lineSchema>;

/** @param commit what was tested, where that is known @param coverage per cent */
export function resultLine(
  test: ReportedTest,
  { commit, coverage }: { readonly commit?: string | undefined; readonly coverage?: number | undefined } = {},
): ResultLine {
  const runs = test.scenarios.flatMap((one) => one.runs);
  return {
    version: 1,
    at: new Date(test.at).toISOString(),
    ...(commit !== undefined && { commit }),
    passed: countOf(test, 'passed'),
    failed: countOf(test, 'failed'),
    notRun: countOf(test, 'not_run'),
    skipped: countOf(test, 'skipped'),
    callsMs: Math.round(runs.reduce((sum, { lengthMs }) => sum + lengthMs, 0)),
    ...(coverage !== undefined && { coverage }),
    scenarios: test.scenarios.map((one) => ({
      name: one.name,
      file: one.file,
      wire: one.wire,
      outcome: one.outcome,
      runs: one.runs.length,
      passedRuns: passedRuns(one),
      ...(one.answers && { answers: one.answers }),
    })),
  };
}

/** Adds a line to a file, and makes the file when it is not there. */
export function addResult(path: string, line: ResultLine): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const isCutOff = before !== '' && !before.endsWith('\n');
  appendFileSync(path, `${isCutOff ? '\n' : ''}${JSON.stringify(line)}\n`);
}

/** The lines of a file, the oldest first, at most so many. What is cut off, or of another version, is left out. */
export function readResults(path: string, most: number): ResultLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean).slice(-most);
  return lines.flatMap((line) => lineIn(line) ?? []);
}

function lineIn(text: string): ResultLine | undefined {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What git calls the commit of a folder; undefined where there is no git, or no commit. */
export async function commitOf(directory: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--verify', 'HEAD'], { cwd: directory });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
