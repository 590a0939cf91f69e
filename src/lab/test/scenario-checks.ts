import { unlessAborted } from '../../base/async/deadline.js';
import { machineSignal } from '../../base/clock/process-clock.js';
import { errorText } from '../../base/error-text.js';
import { didYouMean } from '../../base/names/did-you-mean.js';
import { textOf } from '../../call/view/events.js';
import { BotTalk } from '../scenario/bot-talk.js';
import type { CallCheck, CheckedCall, NamedCheck } from '../scenario/call-check.js';
import type { CallStory, Failure } from '../scenario/call-story.js';
import { calledFunctions } from '../scenario/called-functions.js';
import type { PlacedScenario, ScenarioProblem } from '../scenario/placed-scenario.js';
import type { ReadScenarios } from '../scenario/yaml-scenarios.js';
import { importCode, lineIn } from './import-code.js';
import { strayErrors } from './stray-errors.js';

/** How long a check may take, in milliseconds. */
const LIMIT_MS = 30_000;

/**
 * Loads the functions that scenarios of a file are checked by.
 * @param parts gets what was read of their files
 */
export async function loadChecks(
  { scenarios, problems }: ReadScenarios,
  parts: Map<string, string | undefined>,
): Promise<ReadScenarios> {
  const modules = new Map<string, Promise<Readonly<Record<string, unknown>>>>();
  const found: ScenarioProblem[] = [];
  const moduleOf = (file: string) => {
    const read = new Map<string, string | undefined>();
    const known = modules.get(file) ?? importCode(file, read);
    modules.set(file, known);
    return known.finally(() => {
      for (const [part, content] of read) parts.set(part, content);
    });
  };
  const load = async (check: NamedCheck, scenario: PlacedScenario): Promise<NamedCheck> => {
    const { file, exported, line } = check;
    if (file === undefined) return check;
    const refuse = (message: string) => {
      found.push({ file: scenario.file, line, field: 'expect.check', message });
      return check;
    };
    try {
      const module = await moduleOf(file);
      const run = module[exported];
      if (typeof run === 'function') return { ...check, run: run as CallCheck };
      const functions = Object.keys(module).filter((one) => typeof module[one] === 'function');
      const wanted = exported === 'default' ? 'no function as its default' : `no function ${exported}`;
      const help = functions.length > 0 ? `: ${didYouMean(exported, functions)}` : '';
      return refuse(`names ${file}, which exports ${wanted}${help}`);
    } catch (error) {
      return refuse(`names ${file}, which cannot be loaded: ${errorText(error)}`);
    }
  };
  const loaded: PlacedScenario[] = [];
  for (const scenario of scenarios) {
    const withChecks = async <Call extends Pick<PlacedScenario, 'expect'>>(call: Call): Promise<Call> => {
      const check: NamedCheck[] = [];
      for (const one of call.expect.check) check.push(await load(one, scenario));
      return { ...call, expect: { ...call.expect, check } };
    };
    // biome-ignore lint/suspicious/noThenProperty: a list; only a function would make a promise of it
    loaded.push({ ...(await withChecks(scenario)), then: await Promise.all(scenario.then.map(withChecks)) });
  }
  return { scenarios: loaded, problems: [...problems, ...found] };
}

/**
 * Asks the checks of a scenario, one after the other, when its call is over.
 * @param limitMs for each
 */
export async function checkFailures(
  { expect: { check }, file, environment }: Pick<PlacedScenario, 'expect' | 'file' | 'environment'>,
  story: Pick<CallStory, 'record' | 'events' | 'lengthMs' | 'receivedKeys'>,
  folder: string | undefined,
  signal: AbortSignal,
  limitMs = LIMIT_MS,
): Promise<Failure[]> {
  if (check.length === 0 || !story.record) return [];
  const call = checkedCall(story.record, story, folder, environment);
  const failures: Failure[] = [];
  for (const one of check) {
    const happened = await problemOf(one, call, signal, limitMs, one.file ?? file);
    if (happened === undefined) continue;
    failures.push({ field: 'check', expected: `that ${one.name} finds nothing wrong`, happened });
  }
  return failures;
}

async function problemOf(
  { name, run }: NamedCheck,
  call: CheckedCall,
  signal: AbortSignal,
  limitMs: number,
  file: string,
): Promise<string | undefined> {
  const limit = machineSignal(limitMs);
  const either = AbortSignal.any([signal, limit]);
  try {
    const asked = strayErrors.within(name, async () => run?.(call, either));
    const answer: unknown = await unlessAborted(asked, either);
    if (answer === undefined || answer === null || answer === true || answer === '') return undefined;
    return typeof answer === 'string' ? inOneLine(answer) : `it gave ${textOf(answer)}`;
  } catch (error) {
    if (limit.aborted) return `it had not ended after ${limitMs / 1_000} s`;
    const line = lineIn(error, file);
    return `${inOneLine(thrownText(error))}${line === undefined ? '' : `, at ${file}:${line}`}`;
  }
}

/** JavaScript throws anything. */
const thrownText = (thrown: unknown) =>
  thrown instanceof Error || typeof thrown === 'string' ? errorText(thrown) : `it threw ${textOf(thrown)}`;

/** An assertion shows its values on lines of their own. */
const inOneLine = (words: string) => words.trim().replace(/\s*\n\s*/g, ' ');

function checkedCall(
  { id, direction, from, to, endReason }: NonNullable<CallStory['record']>,
  { events, lengthMs, receivedKeys }: Pick<CallStory, 'events' | 'lengthMs' | 'receivedKeys'>,
  folder: string | undefined,
  environment: Readonly<Record<string, string>>,
): CheckedCall {
  const talk = new BotTalk();
  for (const event of events) talk.note(event);
  const tools = calledFunctions(events).map(({ name, input, returned }) => ({
    name,
    input,
    ...(returned && (returned.isError ? { error: textOf(returned.output) } : { result: returned.output })),
  }));
  const of = { id, direction, from, to, endReason, lengthMs, talk: talk.lines, tools, keys: receivedKeys };
  return { ...of, events: events.map((event) => ({ ...event })), folder, environment };
}
