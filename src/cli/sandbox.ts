import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';

interface SandboxCommandOptions {
  port?: string;
  json?: boolean;
}

/** `voicebot sandbox`: where the running sandbox is, and what opens its accounts. */
export const sandboxCommand = (context: CliContext): CliCommand =>
  new CliCommand('sandbox')
    .description("show the addresses and keys of the running bot's sandbox, for programs of your own")
    .option(
      '--port <port>',
      'ask the runner on this port (default: of several on the sandbox the one started last in this folder)',
    )
    .outputOptions()
    .action(async (options: SandboxCommandOptions) => {
      const { botEnvironmentOf, sandboxAccount } = await import('../assembly/account.js');
      const { findSandbox } = await import('./call/phone-line.js');
      const { checkRunnerChoice } = await import('../runners/runner-address.js');
      const { TypedOptions } = await import('../terminal/typed-options.js');
      const typed = new TypedOptions();
      const choice = checkRunnerChoice(typed, options);
      typed.throwIfRefused();
      const { resolveConfig } = await import('../config/config.js');
      await resolveConfig({ flags: {}, environment: context.environment, directory: context.directory }); // its carrier may be one of an extension
      const { sandbox } = await findSandbox({ directory: context.directory, ...choice }, context.environment);
      const { number, url } = sandbox;
      const variables = Object.assign(
        {},
        ...(['carrier', 'rooms'] as const).map((kind) =>
          botEnvironmentOf(sandboxAccount({ ...sandbox.account, number }, kind), number),
        ),
      ) as Record<string, string>;
      const output = await outputOf(context, options);
      output.event('sandbox', { url, variables });
      for (const [name, value] of Object.entries(variables)) output.result(`${name}=${value}`);
    });
