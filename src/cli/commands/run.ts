import { Command, InvalidArgumentError, Option } from 'commander';
import { resolveConfig } from '../../config/config.js';
import { isLoopbackHost, type Parse, SETTINGS } from '../../config/settings.js';
import { type CliContext, outputOf } from '../context.js';
import { UsageError } from '../usage-error.js';

interface RunOptions {
  transport: 'carrier' | 'rooms';
  dialin?: boolean;
  port?: number;
  host?: string;
  publicUrl?: string;
  sandbox?: boolean;
  callsPerProcess?: number;
  warm?: number;
  drainSeconds?: number;
  insecureWebhooks?: boolean;
  json?: boolean;
  verbose?: boolean;
}

/** `voicebot run`: serves a bot until told to stop. */
export const runCommand = (context: CliContext): Command =>
  new Command('run')
    .description('serve a bot: it answers the calls to its number and can be told to call others')
    .argument('[bot]', 'path to the bot file (default: the bundled demo bot)')
    .addOption(
      new Option('--transport <kind>', 'how calls reach the bot').choices(['carrier', 'rooms']).default('carrier'),
    )
    .option('--dialin', 'serve incoming calls (always on)')
    .option('--sandbox', 'use the offline phone network even when credentials are there')
    .option('--port <port>', 'port of the server, 0 for any free one (default: 7860)', checked(SETTINGS.port.parse))
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--public-url <url>',
      'https address under which the provider reaches this server',
      checked(SETTINGS.publicUrl.parse),
    )
    .option(
      '--calls-per-process <n>',
      'calls that share one bot process (default: 1)',
      checked(SETTINGS.callsPerProcess.parse),
    )
    .option('--warm <n>', 'bot processes kept ready for the next call (default: 1)', checked(SETTINGS.warm.parse))
    .option(
      '--drain-seconds <n>',
      'time running calls get to finish on SIGTERM (default: 30)',
      checked(SETTINGS.drainSeconds.parse),
    )
    .option('--insecure-webhooks', 'accept webhooks and sockets without signature, for experiments on this machine')
    .option('--json', 'write events to standard output, one JSON object per line')
    .option('--verbose', 'log everything to standard error')
    .addHelpText(
      'after',
      `
From another terminal: npx voicebot call                    call the bot (sandbox)
                       npx voicebot dialout +15551234567    have the bot call somebody
                       npx voicebot calls                   list its calls`,
    )
    .action(async (bot: string | undefined, options: RunOptions) => {
      const { host, port, publicUrl, callsPerProcess, warm, drainSeconds } = options;
      const flags = Object.fromEntries(
        Object.entries({ bot, host, port, publicUrl, callsPerProcess, warm, drainSeconds }).filter(
          ([, value]) => value !== undefined,
        ),
      );
      const config = await resolveConfig({ flags, environment: context.environment, directory: context.directory });
      if (options.insecureWebhooks && config.publicUrl) {
        throw new UsageError([
          '--insecure-webhooks cannot be used together with a public URL: anybody could place calls',
        ]);
      }
      if (options.insecureWebhooks && !isLoopbackHost(config.host)) {
        throw new UsageError([
          `--insecure-webhooks works on this machine only, not on ${config.host}: anybody could place calls`,
        ]);
      }
      const output = outputOf(context, options.json);
      if (!isLoopbackHost(config.host)) {
        output.warn(`The server listens on ${config.host}: others in your network can reach it.`);
      }
      const { runBot } = await import('../run-bot.js');
      await runBot({
        config,
        transport: options.transport,
        sandbox: options.sandbox ?? false,
        insecureWebhooks: options.insecureWebhooks ?? false,
        isVerbose: options.verbose ?? false,
        context,
        output,
      });
    });

/** The same check for a flag as for its variable, with commander's way of refusing. */
function checked<T>(parse: Parse<T>): (raw: string) => T {
  return (raw) => {
    try {
      return parse(raw);
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`);
    }
  };
}
