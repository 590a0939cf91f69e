import { dtmfScriptOf } from '../../base/audio/dtmf-script.js';
import { TALK_FIGURES } from '../../call/view/talk-figures.js';
import { type CallerStep, HEAR_LIMIT_MS, leafSteps } from '../scenario/caller-steps.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { CALL_LIMIT_MS } from '../scenario/scenario-schema.js';

/** Why a scenario is spoken where of others only the wording is tested. */
export type SpokenReason =
  | 'real services'
  | 'how long speech takes'
  | 'sounds'
  | 'words that are talked over'
  | 'network'
  | 'faults';

/** Why the wording of a scenario cannot be tested without speech; undefined: it can. */
export function spokenReason({ services, ...scenario }: PlacedScenario): SpokenReason | undefined {
  if (services === 'real') return 'real services';
  const calls = [scenario, ...scenario.then];
  const steps = calls.flatMap(({ caller }) => (Array.isArray(caller) ? leafSteps(caller) : []));
  if (steps.some(({ kind }) => kind === 'play') || calls.some(({ expect }) => expect.sound.length > 0)) return 'sounds';
  if (steps.some(isOverWords) || calls.some(isAboutTalk)) return 'words that are talked over';
  if (calls.some(hasTimes)) return 'how long speech takes';
  if (calls.some(({ network }) => network)) return 'network';
  return calls.some(({ faults }) => faults.length > 0) ? 'faults' : undefined;
}

/** Whether something must happen in time, or is done at a time: behind tones it would come sooner, or fall into another sentence. */
function hasTimes({ caller, expect, limit }: Pick<PlacedScenario, 'caller' | 'expect' | 'limit'>): boolean {
  const { firstWordWithin, answerWithin, silentAtMost, endsWithin } = expect;
  const isTimed = [firstWordWithin, answerWithin, silentAtMost, endsWithin].some((one) => one !== undefined);
  return isTimed || limit < CALL_LIMIT_MS || (Array.isArray(caller) && areTimed(caller));
}

function areTimed(steps: readonly CallerStep[]): boolean {
  const leaves = leafSteps(steps);
  const waits = leaves.some(({ kind }) => kind === 'wait');
  return (
    hasShortWait(steps) || leaves.some((step) => isTimed(step) || (waits && ['press', 'hang_up'].includes(step.kind)))
  );
}

const hasShortWait = (steps: readonly CallerStep[]): boolean =>
  steps.some((step) => {
    if (step.kind === 'repeat') return hasShortWait(step.steps);
    if (step.kind === 'either')
      return step.withinMs < HEAR_LIMIT_MS || step.branches.some((branch) => hasShortWait(branch.steps));
    return step.kind === 'hear' && step.withinMs < HEAR_LIMIT_MS;
  });

function isTimed(step: CallerStep): boolean {
  if (step.kind === 'press' && dtmfScriptOf(step.keys).includes('w')) return true;
  return 'after' in step && step.after !== undefined && step.during === undefined;
}

/** Keys may be pressed over a tone; what is said over one would be over when it begins. */
const isOverWords = (step: CallerStep): boolean =>
  step.kind === 'say' && (step.during !== undefined || step.talkOver === true);

/** Whether it is measured how both sides' speech meets: a tone is over before anything can. */
const isAboutTalk = ({ expect }: Pick<PlacedScenario, 'expect'>): boolean =>
  [expect.stopsWithin, ...TALK_FIGURES.map((figure) => expect[figure])].some((one) => one !== undefined);

/** What is looked at of the scenarios of a test. */
type Plan = ReadonlyArray<{ readonly spoken?: SpokenReason | undefined }>;

/** `wording alone; 3 scenarios are spoken: sounds 1, faults 2` */
export function textOnlyWords(plan: Plan): string {
  const counts = Object.entries(spokenOf(plan));
  const spoken = counts.reduce((sum, [, count]) => sum + count, 0);
  const why = counts.map(([reason, count]) => `${reason} ${count}`).join(', ');
  return `wording alone${spoken === 0 ? '' : `; ${spoken} ${spoken === 1 ? 'scenario is' : 'scenarios are'} spoken: ${why}`}`;
}

/** How many scenarios are spoken, by why. */
export function spokenOf(plan: Plan): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { spoken } of plan) if (spoken) counts[spoken] = (counts[spoken] ?? 0) + 1;
  return counts;
}
