import { Command } from 'commander';

/** A command with the options that several have. */
export class CliCommand extends Command {
  /** Which runner to work with, on this machine or another. @param does as in `ask` */
  runnerOptions(does: string): this {
    this.option(
      '--port <port>',
      `${does} the runner on this port (default: of several the one started last in this folder)`,
    );
    return this.option('--server <url>', `${does} the runner at this address, with VOICEBOT_TOKEN`);
  }

  /** How the command tells its results and errors. */
  outputOptions(verbose = 'show where an error happened'): this {
    this.option('--json', 'write events to standard output, one JSON object per line');
    return this.option('--verbose', verbose);
  }
}
