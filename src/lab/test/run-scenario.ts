import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settlesWithin, unlessAborted } from '../../base/async/deadline.js';
import { pause } from '../../base/async/pause.js';
import { timeLimit } from '../../base/async/time-limit.js';
import { decodeMulaw } from '../../base/audio/mulaw.js';
import { machineTimeout } from '../../base/clock/process-clock.js';
import { errorText } from '../../base/error-text.js';
import type { CallId } from '../../call/call-id.js';
import { findCallFolders } from '../../call/folder/folder-name.js';
import { BotTalk } from '../scenario/bot-talk.js';
import type { Failure, ScenarioRun } from '../scenario/call-story.js';
import { lastLinesOf } from '../scenario/caller-lines.js';
import { failuresOf } from '../scenario/expectations.js';
import { latenessOf } from '../scenario/lateness.js';
import { measure } from '../scenario/measure.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { answersOf, lateAnswers } from '../scenario/scenario-result.js';
import type { Stage } from '../stage/stage.js';
import { type LiveStory, ScenarioCall, type TestMeans } from './scenario-call.js';
import { checkFailures } from './scenario-checks.js';
import { ScenarioCommands } from './scenario-command.js';

const JUDGE_LIMIT_MS = 60_000;
/** Longest wait for the last file of a call's folder, in milliseconds. */
const FOLDER_LIMIT_MS = 15_000;

/**
 * Makes the calls of a scenario, with the commands around them, and compares what has happened with what must hold. Never rejects for what
 * a call does. Of several calls the run tells the folder and the last lines of the one that failed, or of the last.
 */
export async function runScenario(
  scenario: PlacedScenario,
  stage: Stage,
  no: number,
  means: TestMeans,
  signal: AbortSignal,
): Promise<ScenarioRun> {
  if (signal.aborted) return notBegun(no, []);
  const commands = new ScenarioCommands(scenario, means.environment);
  try {
    const failed = await commands.run('before', signal);
    const run =
      failed.length > 0 || signal.aborted ? notBegun(no, failed) : await runCalls(scenario, stage, no, means, signal);
    return { ...run, failures: [...run.failures, ...(await commands.run('after'))] };
  } finally {
    commands.close();
  }
}

async function runCalls(
  scenario: PlacedScenario,
  stage: Stage,
  no: number,
  means: TestMeans,
  signal: AbortSignal,
): Promise<ScenarioRun> {
  let run = await runCall(scenario, stage, no, means, signal);
  for (const [at, next] of scenario.then.entries()) {
    if (run.failures.length > 0 || signal.aborted) break;
    await pause(next.wait, signal).catch(() => {}); // hung up
    const { from = scenario.from, model = scenario.model, tools = scenario.tools, dialout, network } = next;
    const following = { ...scenario, ...next, from, model, tools, dialout, network };
    const call = await runCall(following, stage, no, means, signal, Object.keys(next.tools ?? {}));
    const late = lateAnswers(next.expect, answersOf([call]));
    run = joined(run, { ...call, failures: [...call.failures, ...late] }, `then[${at}]`);
  }
  return run;
}

async function runCall(
  scenario: PlacedScenario,
  stage: Stage,
  no: number,
  means: TestMeans,
  signal: AbortSignal,
  /** Functions that must be played. */
  played = Object.keys(scenario.tools),
): Promise<ScenarioRun> {
  const startedAt = Date.now();
  const call = new ScenarioCall(scenario, stage, means, played);
  const told = await call.run(signal);
  if (scenario.expect.nowhere)
    await settlesWithin(stage.runner.folders.written(call.callId as CallId), FOLDER_LIMIT_MS, machineTimeout);
  const [folder] = call.callId === undefined ? [] : await findCallFolders(means.home, call.callId);
  const log = logOf(call.callId, means.log?.since(startedAt) ?? []);
  const story = { ...told, log, files: folder === undefined ? [] : textsIn(folder) };
  means.onStory?.(story);
  const measures = measure(story);
  const soundOf = (file: string) => decodeMulaw(means.voice.play(file));
  const failures = [
    ...failuresOf(scenario.expect, { story, measures, soundOf, arranged: arrangedIn(scenario) }),
    ...(await judged(scenario, story, signal)),
    ...(await checkFailures(scenario, story, folder, signal)),
  ];
  const lines = lastLinesOf(story.events, call.acts, story.answeredAt);
  const { events, lengthMs, receivedKeys } = story;
  const late = latenessOf(story, measures);
  return {
    no,
    callId: call.callId,
    folder,
    startedAt,
    lengthMs,
    measures,
    events,
    receivedKeys,
    lines,
    failures,
    late,
  };
}

/** Of a scenario whose command before it has failed, or that was aborted: there was no call. */
const notBegun = (no: number, failures: readonly Failure[]): ScenarioRun => ({
  no,
  callId: undefined,
  folder: undefined,
  startedAt: Date.now(),
  calls: 0,
  lengthMs: 0,
  measures: { firstWordMs: undefined, answersMs: [], silence: { ms: 0, atMs: 0 } },
  events: [],
  receivedKeys: '',
  lines: [],
  failures,
});

/** Two calls as one run. @param place of the second one in its scenario */
function joined(first: ScenarioRun, { measures, ...second }: ScenarioRun, place: string): ScenarioRun {
  const { firstWordMs, answersMs, silence } = first.measures;
  return {
    ...second,
    startedAt: first.startedAt,
    calls: (first.calls ?? 1) + 1,
    lengthMs: first.lengthMs + second.lengthMs,
    measures: {
      firstWordMs,
      answersMs, // those of the second have been judged
      silence: measures.silence.ms > silence.ms ? measures.silence : silence,
    },
    events: [...first.events, ...second.events],
    receivedKeys: first.receivedKeys + second.receivedKeys,
    failures: second.failures.map((failure) => ({ ...failure, field: `${place}.${failure.field}` })),
    late: first.late ?? second.late,
  };
}

/** Other calls go on at the same time. */
const logOf = (callId: string | undefined, lines: readonly string[]): string[] =>
  lines.filter((line) => !line.includes('"callId"') || (callId !== undefined && line.includes(callId)));

const textsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /\.(json|ndjson)$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** What its functions fail with where it plays them so. */
const arrangedIn = ({ tools }: PlacedScenario) =>
  new Map(Object.entries(tools).flatMap(([name, { fails }]) => (fails === undefined ? [] : [[name, fails] as const])));

async function judged(
  { expect: { judge } }: PlacedScenario,
  { events, record }: LiveStory,
  signal: AbortSignal,
): Promise<Failure[]> {
  if (!judge) return [];
  const talk = new BotTalk();
  for (const event of events) talk.note(event);
  const tools = events.flatMap((event) =>
    event.type === 'tool_called' ? [{ name: event.name, input: event.input }] : [],
  );
  const call = { talk: talk.lines, tools, endReason: record?.endReason ?? 'unknown' };
  try {
    const limited = AbortSignal.any([signal, timeLimit(JUDGE_LIMIT_MS)]);
    const { passed, because } = await unlessAborted(judge(call, limited), limited);
    return passed ? [] : [{ field: 'judge', expected: 'that the judge is content', happened: because }];
  } catch (error) {
    return [{ field: 'judge', expected: 'a verdict', happened: errorText(error) }];
  }
}
