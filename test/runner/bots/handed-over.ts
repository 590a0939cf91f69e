import type { RunnerArguments } from 'voicebot';

type Serve = (args: RunnerArguments) => Promise<void>;

let serve: Serve | undefined;

/** A test in the process of the bot serves its calls itself. It imports nothing, since all that a bot imports is looked through when it is loaded. */
export function servedBy(test: Serve): void {
  serve = test;
}

export const bot: Serve = async (args) => serve?.(args);
