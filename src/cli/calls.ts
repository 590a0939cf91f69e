import { Command } from 'commander';
import { VoicebotError } from '../errors.js';
import type { CallRecord } from '../runner/calls/call-registry.js';
import { endWords } from './runners/end-words.js';
import type { RunnerClient } from './runners/runner-client.js';
import { type CliContext, outputOf } from './terminal/context.js';
import type { Output } from './terminal/output.js';
import { aligned } from './terminal/table.js';

interface CallsOptions {
  port?: string;
  server?: string;
  json?: boolean;
}

/** `voicebot calls`: what a runner knows about its calls. */
export const callsCommand = (context: CliContext): Command =>
  new Command('calls')
    .description("list the running bot's calls, or show one")
    .argument('[id]', 'identifier of the call to show, or enough of its beginning')
    .option('--port <port>', 'ask the runner on this port (default: the one started last)')
    .option('--server <url>', 'ask the runner at this address, with VOICEBOT_TOKEN')
    .option('--json', 'write events to standard output, one JSON object per line')
    .option('--verbose', 'show where an error happened')
    .action(async (id: string | undefined, options: CallsOptions) => {
      const { checkRunnerChoice, connectRunner } = await import('./runners/runner-address.js');
      const { TypedOptions } = await import('./terminal/typed-options.js');
      const typed = new TypedOptions();
      const choice = checkRunnerChoice(typed, options);
      if (id === '') typed.refuse('the identifier of the call is empty');
      typed.throwIfRefused();
      const runner = await connectRunner({ ...choice, orStopping: true }, context);
      const output = await outputOf(context, options);
      await (id === undefined ? showCalls(runner, output) : showCall(runner, id, output));
    });

/** Calls that a message names. */
const MAX_NAMED = 5;

/**
 * Lists a runner's calls as a table, newest first.
 * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_UNAUTHORISED
 */
async function showCalls(runner: RunnerClient, output: Output): Promise<void> {
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
async function showCall(runner: RunnerClient, id: string, output: Output): Promise<void> {
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
