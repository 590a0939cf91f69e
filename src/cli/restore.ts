import type { RestoreCommandOptions } from '../assembly/restore-numbers.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';

/** `voicebot restore`: gives numbers back that a killed run has left pointing at it. */
export const restoreCommand = (context: CliContext): CliCommand =>
  new CliCommand('restore')
    .description('give back the numbers that runs could not give back when they ended')
    .argument('[number]', 'number to give back, such as +15551234567 (default: all of them)')
    .option('--force', 'with a number: give it back even if a run still holds it, or configure-number has set it')
    .outputOptions()
    .action(async (number: string | undefined, options: RestoreCommandOptions) => {
      const { parseRestoreRequest, restoreNumbers } = await import('../assembly/restore-numbers.js');
      await restoreNumbers(parseRestoreRequest(number, options), context, await outputOf(context, options));
    });
