import { InvalidArgumentError, Option } from 'commander';
import { CARRIER_NAMES } from '../providers/registry/carrier-names.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';
import type { InitOptions } from './init/init-project.js';
import { OLD_TEMPLATES, TEMPLATE_NAMES, TEMPLATES, templateLines } from './init/templates.js';

/** `voicebot init`: a project of one's own, made from a template. */
export const initCommand = (context: CliContext): CliCommand =>
  new CliCommand('init')
    .description('make a project of your own from a template')
    .argument('[directory]', 'directory of the project, "." for this one (default: voicebot-project)')
    .addOption(
      new Option('--template <name>', 'the bot to start with (default: demo)')
        .choices(TEMPLATE_NAMES)
        .argParser(parseTemplate),
    )
    .addOption(
      new Option('--carrier <name>', 'the carrier whose variables .env.example has (default: any)').choices(
        CARRIER_NAMES,
      ),
    )
    .option('--docker', 'add the files to run it in a container, behind a proxy with HTTPS')
    .option('--yes', 'ask nothing: take what is not given from the defaults')
    .option('--force', 'replace files that are in the way')
    .addOption(new Option('--voicebot <place>', 'what package.json asks for as voicebot').hideHelp())
    .outputOptions()
    .addHelpText(
      'after',
      notes({ heading: 'Templates:', rows: TEMPLATE_NAMES.map((name) => [name, TEMPLATES[name].description]) }),
    )
    .action(async (directory: string | undefined, options: InitOptions) => {
      const { initProject } = await import('./init/init-project.js');
      await initProject(directory, options, context, await outputOf(context, options));
    });

function parseTemplate(raw: string): string {
  if (Object.hasOwn(TEMPLATES, raw) || Object.hasOwn(OLD_TEMPLATES, raw)) return raw;
  throw new InvalidArgumentError(`Templates are:\n${templateLines().join('\n')}`);
}
