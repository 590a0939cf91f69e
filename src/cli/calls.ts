import { VoicebotError } from '../base/errors.js';
import type { RunnerClient } from '../runners/runner-client.js';
import type { RunnerChoice } from '../runners/running-runners.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import type { Output } from '../terminal/output.js';

interface CallsOptions {
  all?: boolean;
  open?: boolean;
  port?: string;
  server?: string;
  json?: boolean;
}

/** `voicebot calls`: what a runner knows about its calls, and what calls have left. */
export const callsCommand = (context: CliContext): CliCommand =>
  new CliCommand('calls')
    .description("list the running bot's calls, or show one")
    .argument('[id]', 'identifier of the call to show, or enough of its beginning')
    .option('--all', 'also list the calls of earlier runs that have left a folder')
    .option('--open', 'open the page of the runner at this call')
    .runnerOptions('ask')
    .outputOptions()
    .action(async (id: string | undefined, options: CallsOptions) => {
      const { checkRunnerChoice } = await import('../runners/runner-address.js');
      const { TypedOptions } = await import('../terminal/typed-options.js');
      const typed = new TypedOptions();
      const choice = checkRunnerChoice(typed, options);
      if (id === '') typed.refuse('the identifier of the call is empty');
      if (id === undefined && options.open) typed.refuse('--open needs the identifier of a call');
      if (options.all && options.server !== undefined) {
        typed.refuse('--all lists folders on this machine and cannot be combined with --server');
      }
      typed.throwIfRefused();
      await run(id, choice, options, context);
    });

async function run(
  id: string | undefined,
  choice: RunnerChoice,
  options: CallsOptions,
  context: CliContext,
): Promise<void> {
  const { connectRunner, severalRunners } = await import('../runners/runner-address.js');
  const { KnownCalls } = await import('./calls/known-calls.js');
  const { stateDirectory } = await import('../config/environment.js');
  const output = await outputOf(context, options);
  const onSeveral = severalRunners(output);
  let problem: VoicebotError | undefined;
  const runner = await connectRunner({ ...choice, orStopping: true, onSeveral }, context).catch((error: unknown) => {
    const isNoneThere = error instanceof VoicebotError && error.code === 'VB_RUNNER_NOT_FOUND';
    if (!isNoneThere || choice.server !== undefined || choice.port !== undefined) throw error;
    problem = error;
    return undefined;
  });
  const state = choice.server === undefined ? stateDirectory(context.environment) : undefined;
  const known = new KnownCalls(runner, state);
  if (id === undefined) {
    if (problem && (await known.list(true)).length === 0) throw problem;
    const { showCalls } = await import('./calls/show-calls.js');
    return showCalls(known, runner, options.all ?? false, output);
  }
  const call = await known.find(id);
  if (!call) throw problem ?? unknown(id, runner);
  if (options.open) return openCall(call.record.id, runner, output);
  const { showCall } = await import('./calls/show-call.js');
  await showCall(call, output);
}

const unknown = (id: string, runner: RunnerClient | undefined) =>
  new VoicebotError('VB_REQUEST_INVALID', `the runner at ${runner?.url} knows no call ${id}`, {
    hint: 'List those it knows: npx voicebot calls',
  });

/** @throws VoicebotError VB_RUNNER_NOT_FOUND */
async function openCall(id: string, runner: RunnerClient | undefined, output: Output): Promise<void> {
  if (!runner) {
    throw new VoicebotError('VB_RUNNER_NOT_FOUND', 'a call is shown on the page of a runner, and none is running', {
      hint: `Start one in another terminal: npx voicebot run --sandbox. Then: npx voicebot calls ${id} --open`,
    });
  }
  const { openPage } = await import('../terminal/open-page.js');
  await openPage(`${runner.url}/#/calls/${encodeURIComponent(id)}`, output);
}
