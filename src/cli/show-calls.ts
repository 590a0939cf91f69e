import { VoicebotError } from '../errors.js';
import type { CallRecord } from '../runner/calls/call-registry.js';
import { endWords } from './end-words.js';
import type { Output } from './output.js';
import type { RunnerClient } from './runner-client.js';
import { aligned } from './table.js';

/** Calls that a message names. */
const MAX_NAMED = 5;

/**
 * Lists a runner's calls as a table, newest first.
 * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_UNAUTHORISED
 */
export async function showCalls(runner: RunnerClient, output: Output): Promise<void> {
  const calls = (await runner.calls()).toSorted((a, b) => b.startedAt - a.startedAt);
  output.event('calls', { calls });
  if (calls.length === 0) {
    output.line(`The runner at ${runner.url} has had no calls yet.`);
    return;
  }
  const rows = calls.map((call) => [call.id, call.direction, call.from, call.to, stateOf(call), lengthOf(call)]);
  for (const row of aligned([['CALL', 'DIRECTION', 'FROM', 'TO', 'STATE', 'SECONDS'], ...rows])) output.result(row);
}

/**
 * Shows all that a runner knows about one call.
 * @param id its identifier, or a beginning that no other call of the runner has
 * @throws VoicebotError VB_REQUEST_INVALID when it knows none or several, VB_RUNNER_NOT_FOUND, VB_UNAUTHORISED
 */
export async function showCall(runner: RunnerClient, id: string, output: Output): Promise<void> {
  const call = (await runner.call(id)) ?? (await callBeginning(runner, id));
  output.event('call', { callId: call.id, call });
  const rows: Array<[name: string, value: string | number | undefined]> = [
    ['call', call.id],
    ['carrier id', call.providerCallId],
    ['direction', call.direction],
    ['from', call.from],
    ['to', call.to],
    ['state', stateOf(call)],
    ['why', call.endReason && endWords(call.endReason, call.direction)],
    ['answered by', call.answeredBy],
    ['bot', call.attempt],
    ['started', timeOf(call.startedAt)],
    ['answered', timeOf(call.answeredAt)],
    ['connected', timeOf(call.connectedAt)],
    ['ended', timeOf(call.endedAt)],
    ['seconds', lengthOf(call)],
  ];
  const known = rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  for (const row of aligned(known)) output.result(row);
}

/** Run reports print the beginning of an identifier only. */
async function callBeginning(runner: RunnerClient, beginning: string): Promise<CallRecord> {
  const found = (await runner.calls()).filter(({ id }) => id.startsWith(beginning));
  const [call] = found;
  if (call && found.length === 1) return call;
  const detail = call
    ? `${found.length} calls begin with ${beginning}: ${found
        .slice(0, MAX_NAMED)
        .map(({ id }) => id)
        .join(', ')}${found.length > MAX_NAMED ? ', …' : ''}`
    : `the runner at ${runner.url} knows no call ${beginning}`;
  throw new VoicebotError('VB_REQUEST_INVALID', detail, { hint: 'List those it knows: npx voicebot calls' });
}

const stateOf = ({ state, endReason }: CallRecord) => (endReason ? `${state}: ${endReason}` : state);
const lengthOf = ({ startedAt, endedAt = Date.now() }: CallRecord) => ((endedAt - startedAt) / 1_000).toFixed(1);
const timeOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
