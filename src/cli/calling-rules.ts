import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';

/** `voicebot calling-rules`: by which rules people are called at certain hours only. */
export const callingRulesCommand = (context: CliContext): CliCommand =>
  new CliCommand('calling-rules')
    .description('show in which countries people are called at certain hours only, and by which rule')
    .argument('[country]', 'country to show, such as FR (default: all that have a rule)')
    .outputOptions()
    .addHelpText(
      'after',
      notes(
        'The rules hold on an account; on the sandbox only where VOICEBOT_CALLING_RULES names a file. That file adds ' +
          'rules, replaces them by country, or switches them off with a reason.',
      ),
    )
    .action(async (country: string | undefined, options: { json?: boolean; verbose?: boolean }) => {
      const { showCallingRules } = await import('./calling-rules/show-calling-rules.js');
      await showCallingRules(country, context, await outputOf(context, options));
    });
