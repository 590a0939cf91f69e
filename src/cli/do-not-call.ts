import { Argument } from 'commander';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';

const ACTIONS = ['add', 'remove', 'list', 'import', 'export', 'repair'] as const;
type ListAction = (typeof ACTIONS)[number];

export interface DoNotCallCommandOptions {
  skipBad?: boolean;
  sandbox?: boolean;
  json?: boolean;
  verbose?: boolean;
}

/** `voicebot do-not-call`: the numbers that are not called, whatever asks for it. */
export const doNotCallCommand = (context: CliContext): CliCommand =>
  new CliCommand('do-not-call')
    .description('keep the list of numbers that asked not to be called again')
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .argument('[values...]', 'numbers to add or remove; the file to import or to export to (default: standard output)')
    .option('--skip-bad', 'import what can be read, instead of refusing the whole file')
    .option('--sandbox', 'the list of the offline phone network, which keeps no real number from being called')
    .outputOptions()
    .addHelpText(
      'after',
      notes(
        'Numbers as people write them, with + and the country code: +1 (202) 555-0123. Running runners go by the list at once. ' +
          'With VOICEBOT_CLUSTER set, every runner of the cluster does. A file to import has a column phone_number, or one number on each line.',
      ),
    )
    .action(async (action: ListAction, values: readonly string[], options: DoNotCallCommandOptions) => {
      const { TypedOptions } = await import('../terminal/typed-options.js');
      const typed = new TypedOptions();
      const takesNumbers = action === 'add' || action === 'remove';
      if (takesNumbers && values.length === 0) typed.refuse(`${action} needs a number, such as +12025550123`);
      if (action === 'import' && values.length !== 1) typed.refuse('import needs one file');
      if (action === 'export' && values.length > 1) typed.refuse('export writes one file');
      if ((action === 'list' || action === 'repair') && values.length > 0) typed.refuse(`${action} takes nothing more`);
      if (options.skipBad && action !== 'import') typed.refuse('--skip-bad is for import');
      const { numberAsWritten } = await import('../call/phone-number.js');
      const numbers = takesNumbers ? values.map((one) => typed.check(action, one, numberAsWritten) ?? '') : [];
      typed.throwIfRefused();
      const { ListAtHand } = await import('./do-not-call/list-at-hand.js');
      const output = await outputOf(context, options);
      const list = new ListAtHand(context, output, options.sandbox ?? false);
      const [file] = values;
      if (action === 'add') await list.add(numbers);
      else if (action === 'remove') await list.remove(numbers);
      else if (action === 'repair') await list.repair();
      else if (action === 'import') await list.import(file ?? '', options.skipBad ?? false);
      else if (action === 'export') await list.export(file);
      else await list.show();
    });
