import { nearestNames } from '../../base/closest-name.js';
import { didYouMean } from '../../base/names/did-you-mean.js';
import { firstFew } from '../../base/names/name-list.js';
import { UsageError } from '../../terminal/typed-options.js';
import type { PlacedScenario, ScenarioProblem } from '../scenario/placed-scenario.js';
import type { LastResults } from './last-results.js';
import { shownPlace } from './shown-path.js';
import type { NameFilter, Shard, TagFilter } from './test-filters.js';
import type { NotRun, PlannedScenario } from './test-outcome.js';

/** Which scenarios are asked for. */
export interface Choice {
  readonly name: NameFilter | undefined;
  readonly tags: TagFilter | undefined;
  /** Only those that have failed, or could not be run, the last time. */
  readonly isFailed: boolean;
  readonly shard: Shard | undefined;
}

/** Which scenarios are run. */
export interface Chosen {
  readonly plan: readonly PlannedScenario[];
  /** They say themselves that they are not run. */
  readonly skipped: readonly NotRun[];
  /** What the user should know before. */
  readonly notes: readonly string[];
  /** What the user should know in the end: that not all have run. */
  readonly lastWords: readonly string[];
}

/** Names that are shown in place of one that does not exist, at most. */
const MOST_NEAREST = 5;

/** Nothing is left to run, so that nothing would be measured. */
export class NoScenario extends UsageError {}

/**
 * Chooses, one filter after the other: tags, names, failures, `only`, `skip`, and of what is left the shard.
 * @param all of every file that was read
 * @param directory the working directory
 * @throws NoScenario saying which filter has left nothing
 */
export function chooseScenarios(
  all: readonly PlannedScenario[],
  { name, tags, isFailed, shard }: Choice,
  last: LastResults,
  directory: string,
): Chosen {
  let left = all;
  if (tags) left = withTags(left, tags);
  if (name) left = withName(left, name, tags, directory);
  const notes: string[] = [];
  if (isFailed) {
    const failed = left.filter((one) => last.hasFailed(one));
    if (failed.length > 0) left = failed;
    else notes.push(`${last.isKnown ? nothingFailed(tags ?? name) : 'there was no last time'}: all are run`);
  }
  const only = left.filter(({ scenario }) => scenario.only);
  const lastWords: string[] = [];
  if (only.length > 0 && only.length < left.length)
    lastWords.push(`Only ${scenariosIn(only)} of ${scenariosIn(left)} scenarios ran: those with only: true`);
  if (only.length > 0) left = only;
  const runnable = left.filter(({ scenario }) => scenario.skip === undefined);
  const skipped = left.flatMap(({ scenario, wire }) =>
    scenario.skip === undefined ? [] : [{ scenario, wire, why: scenario.skip === true ? '' : scenario.skip }],
  );
  if (runnable.length === 0) throw new NoScenario([`nothing is left to run: ${allSkipped(skipped)}`]);
  if (!shard) return { plan: runnable, skipped, notes, lastWords };
  const plan = shardOf(runnable, shard, ({ runs }) => runs);
  if (plan.length === 0)
    lastWords.push(
      `Shard ${shard.no} of ${shard.of} is empty: there are fewer scenarios (${runnable.length}) than shards`,
    );
  return { plan, skipped: shardOf(skipped, shard, () => 1), notes, lastWords };
}

/** Those that say `only`, which is for a person who is at work on them. @returns what is wrong with it on a build server */
export const onlyProblems = (scenarios: readonly PlacedScenario[]): ScenarioProblem[] =>
  scenarios
    .filter(({ only }) => only)
    .map(({ file, line, name }) => ({
      file,
      line,
      field: 'only',
      message: `keeps all but "${name}" from being run, and CI is set: take it out before you commit it`,
    }));

function withTags(all: readonly PlannedScenario[], filter: TagFilter): PlannedScenario[] {
  const known = [...new Set(all.flatMap(({ scenario }) => scenario.tags))].sort();
  for (const tag of filter.wanted) {
    if (known.includes(tag)) continue;
    const meant = known.length === 0 ? 'none has any' : didYouMean(tag, known);
    throw new NoScenario([`--tag ${filter.typed}: no scenario has the tag ${tag}: ${meant}`]);
  }
  const left = all.filter(({ scenario }) => filter.fits(scenario.tags));
  if (left.length === 0)
    throw new NoScenario([`--tag ${filter.typed}: none of ${scenariosIn(all)} scenarios has such tags`]);
  return left;
}

function withName(
  all: readonly PlannedScenario[],
  filter: NameFilter,
  tags: TagFilter | undefined,
  directory: string,
): PlannedScenario[] {
  const left = all.filter(({ scenario }) => filter.fits(scenario.name));
  if (left.length > 0) return left;
  const places = new Map(all.map(({ scenario }) => [scenario.name, shownPlace(scenario, directory)]));
  const nearest = nearestNames(filter.typed, [...places.keys()], MOST_NEAREST);
  const shown = nearest.map((one) => `"${one}" (${places.get(one)})`).join(', ');
  const which = tags ? `no scenario that --tag ${tags.typed} leaves` : 'no scenario';
  throw new NoScenario([`${which} ${filter.missing}; nearest: ${shown}`]);
}

/**
 * The same part of the same list each time: each goes to the shard that has the least so far, so that all have about as much.
 * @param weightOf how much one is
 */
function shardOf<T>(all: readonly T[], { no, of }: Shard, weightOf: (one: T) => number): T[] {
  const weights = new Array<number>(of).fill(0);
  return all.filter((one) => {
    const least = weights.indexOf(Math.min(...weights));
    weights[least] = (weights[least] ?? 0) + weightOf(one);
    return least === no - 1;
  });
}

const nothingFailed = (filter: TagFilter | NameFilter | undefined): string =>
  filter ? `none of those that ${filter.typed} fits failed last time` : 'nothing failed last time';

const scenariosIn = (all: readonly PlannedScenario[]): number => new Set(all.map(({ scenario }) => scenario)).size;

function allSkipped(skipped: readonly NotRun[]): string {
  const names = [...new Set(skipped.map(({ scenario }) => `"${scenario.name}"`))];
  return `skip is set in ${firstFew(names, MOST_NEAREST)}`;
}
