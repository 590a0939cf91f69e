import { costText } from '../../call/call-cost.js';
import { placesOf } from '../../call/placed-call.js';
import type { RunnerClient } from '../../runners/runner-client.js';
import type { Output } from '../../terminal/output.js';
import { aligned } from '../../terminal/table.js';
import { lengthOf, stateOf } from './call-text.js';
import type { KnownCalls } from './known-calls.js';

/**
 * Lists calls as a table, newest first.
 * @param all also those of earlier runs
 * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_UNAUTHORISED
 */
export async function showCalls(
  known: KnownCalls,
  runner: RunnerClient | undefined,
  all: boolean,
  output: Output,
): Promise<void> {
  const calls = await known.list(all);
  output.event('calls', { calls, ...(!known.isWhole && { isWhole: false }) });
  if (!known.isWhole) output.warn('The Redis of the cluster is away: these are the calls of one of its runners.');
  if (calls.length === 0) {
    output.line(runner ? `The runner at ${runner.url} has had no calls yet.` : 'There is no folder of a call.');
    return;
  }
  if (!runner) output.line('No runner is running: these are the calls of which there is a folder.');
  const arePriced = calls.some(({ cost }) => cost !== undefined);
  const heads = ['CALL', 'DIRECTION', 'FROM', 'TO', 'STATE', 'SECONDS', ...(arePriced ? ['COST'] : [])];
  const rows = calls.map((call) => [
    call.id,
    call.direction,
    call.from ?? 'withheld',
    call.to,
    stateOf(call),
    lengthOf(call),
    ...(arePriced ? [call.cost ? costText(call.cost) : ''] : []),
  ]);
  const table = [heads, ...rows];
  const isCluster = calls.some(({ machine }) => machine !== undefined);
  const machines = ['MACHINE', ...calls.map(placesOf(calls))];
  const shown = isCluster ? table.map((row, at) => [...row, machines[at] ?? '']) : table;
  for (const row of aligned(shown)) output.result(row);
}
