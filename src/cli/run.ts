import { Option } from 'commander';
import { CARRIER_HELP, CARRIER_OF_ROOMS, TRANSPORTS, type TransportKind } from '../assembly/transports.js';
import { ERROR_SUMMARIES, VoicebotError } from '../base/errors.js';
import { type Exception, placeOf } from '../base/exception/exception.js';
import { isLoopbackHost } from '../base/http/loopback-host.js';
import type { Config } from '../config/config.js';
import { phoneNumber, SETTINGS } from '../config/settings.js';
import { CARRIER_NAMES, type CarrierName } from '../providers/registry/carrier-names.js';
import { TUNNEL_KINDS } from '../runner/tunnel/contract.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { diskFull } from '../terminal/disk-full.js';
import { exitCodeOf, ReportedError } from '../terminal/exit-codes.js';
import { notes } from '../terminal/help.js';
import type { Output } from '../terminal/output.js';
import { checked, TypedOptions, UsageError } from '../terminal/typed-options.js';

interface RunOptions {
  transport?: TransportKind;
  carrier?: CarrierName;
  dialin?: boolean;
  number?: string;
  take?: boolean;
  yes?: boolean;
  tunnel?: Config['tunnel'];
  tunnelServer?: string;
  port?: number;
  host?: string;
  publicUrl?: string;
  cluster?: string;
  advertise?: string;
  sandbox?: boolean;
  callsPerProcess?: number;
  warm?: number;
  drainSeconds?: number;
  standIns?: boolean;
  insecureWebhooks?: boolean;
  log?: Config['log'];
  record?: boolean;
  json?: boolean;
  verbose?: boolean;
}

/** `voicebot run`: serves a bot until told to stop. */
export const runCommand = (context: CliContext): CliCommand =>
  new CliCommand('run')
    .description('serve a bot: it answers the calls to its number and can be told to call others')
    .argument('[bot]', 'path to the bot file (default: the bundled demo bot)')
    .addOption(new Option('--transport <kind>', 'how calls reach the bot (default: carrier)').choices(TRANSPORTS))
    .addOption(new Option('--carrier <name>', CARRIER_HELP).choices(CARRIER_NAMES))
    .option('--dialin', "point the account's number at this runner while it runs, and give it back afterwards")
    .option('--number <number>', "the account's number to answer (default: its only one)", checked(phoneNumber))
    .option('--take', 'take the number even from another run that holds it')
    .option('--yes', 'take the number without a question, also when others answer it now')
    .option('--sandbox', 'use the offline phone network even when credentials are there')
    .option(
      '--stand-ins',
      'without keys: a voice of this machine, a scripted model, typed sentences in place of speech to text',
    )
    .option('--port <port>', 'port of the server, 0 for any free one (default: 7860)', checked(SETTINGS.port.parse))
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--public-url <url>',
      'https address under which the provider reaches this server',
      checked(SETTINGS.publicUrl.parse),
    )
    .option('--cluster <redis>', 'act as one with the other runners on this Redis: redis://host:6379')
    .option(
      '--advertise <url>',
      'in a cluster: wss address under which the provider reaches this runner and no other',
      checked(SETTINGS.advertise.parse),
    )
    .addOption(
      new Option('--tunnel <kind>', 'how the provider reaches this server')
        .choices(['auto', ...TUNNEL_KINDS, 'none'])
        .default(undefined, 'auto'),
    )
    .option('--tunnel-server <url>', 'localtunnel server to use', checked(SETTINGS.tunnelServer.parse))
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
    .option('--record', 'keep a folder of each call: audio, transcript, events (default: on the sandbox only)')
    .option('--no-record', 'keep none')
    .addOption(
      new Option('--log <form>', 'lines for people, or JSON without numbers and words (default: text)').choices([
        'text',
        'json',
      ]),
    )
    .option('--insecure-webhooks', 'accept webhooks and sockets without signature, for experiments on this machine')
    .outputOptions('log everything to standard error')
    .addHelpText(
      'after',
      notes({
        heading: 'From another terminal:',
        rows: [
          ['npx voicebot call', 'call the bot (sandbox)'],
          ['npx voicebot dialout +15551234567', 'have the bot call a number'],
          ['npx voicebot calls', 'list its calls'],
        ],
      }),
    )
    .action(async (bot: string | undefined, options: RunOptions) => {
      const { transport, carrier, host, port, publicUrl, tunnel, tunnelServer, callsPerProcess, warm, drainSeconds } =
        options;
      const { advertise, log } = options;
      const cluster = options.cluster === undefined ? undefined : clusterFlag(options.cluster);
      const numbers = { carrierPhoneNumber: options.number, roomsPhoneNumber: options.number };
      const record = options.record === undefined ? undefined : options.record ? 'on' : 'off';
      const where = { transport, carrier, host, port, publicUrl, tunnel, tunnelServer };
      const given = { bot, ...where, cluster, advertise, ...numbers, callsPerProcess, warm, drainSeconds, record, log };
      const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const { resolveConfig } = await import('../config/config.js');
      const goingAway: string[] = [];
      const config = await resolveConfig({
        flags,
        environment: context.environment,
        directory: context.directory,
        warn: (sentence) => void goingAway.push(sentence),
      });
      checkTogether(options);
      if (options.insecureWebhooks && config.publicUrl) {
        throw new UsageError([
          '--insecure-webhooks cannot be used together with a public URL: any program that reaches it could place calls',
        ]);
      }
      if (options.insecureWebhooks && !isLoopbackHost(config.host)) {
        throw new UsageError([
          `--insecure-webhooks works on this machine only, not on ${config.host}: any program that reaches it could place calls`,
        ]);
      }
      const logsJson = config.log === 'json';
      const output = await outputOf(context, { json: options.json, isTimed: true, logsJson });
      for (const sentence of goingAway) output.warn(sentence);
      if (!isLoopbackHost(config.host)) {
        const text = config.runnerToken
          ? 'others in your network can reach it'
          : 'VOICEBOT_TOKEN is not set: others in your network can reach it, and without HTTPS. Set a token of your own (openssl rand -hex 24), or leave --host out and put a proxy in front';
        output.warn(`The server listens on ${config.host} and ${text}.`);
      }
      const { runBot } = await import('./run/run-bot.js');
      const running = runBot({
        config,
        transport: config.transport,
        sandbox: options.sandbox ?? false,
        isDialin: options.dialin ?? false,
        isTaking: options.take ?? false,
        isYes: options.yes ?? false,
        accountOptions: accountOptionsIn(options),
        insecureWebhooks: options.insecureWebhooks ?? false,
        standIns: options.standIns ?? false,
        isVerbose: options.verbose ?? false,
        context,
        output,
      });
      await (logsJson ? running.catch((error: unknown) => logEnd(error, output)) : running);
    });

/** What ends a run is the last entry of its log. @throws always */
function logEnd(thrown: unknown, output: Output): never {
  const error = diskFull(thrown) ?? thrown;
  if (error instanceof ReportedError) throw error;
  const { code, message, hint } = VoicebotError.fieldsOf(error, 'VB_INTERNAL');
  const exitCode = exitCodeOf(code);
  const { exception }: { exception?: Exception } = Object(error);
  // What a bot file or a part of Node has thrown may hold words of anybody.
  const isOurs = code !== 'VB_INTERNAL' && exception === undefined;
  const place = exception && placeOf(exception);
  output.log('error', ERROR_SUMMARIES[code], { code, ...(isOurs && { detail: message, hint }), place, exitCode });
  throw new ReportedError(exitCode, message, { code, hint });
}

/**
 * Other programs see the command line. What was typed is not said again, as it would be of other options: it may hold a password.
 * @throws UsageError
 */
function clusterFlag(raw: string): string {
  let url: string;
  try {
    url = SETTINGS.cluster.parse(raw);
  } catch (error) {
    throw new UsageError([`--cluster ${(error as Error).message}`]);
  }
  if (new URL(url).password === '') return url;
  throw new UsageError([
    '--cluster must not hold a password, which every program of this machine could read: set VOICEBOT_CLUSTER instead',
  ]);
}

/** What was asked for that the sandbox does not have. */
function accountOptionsIn({ number, tunnel, tunnelServer, publicUrl, take }: RunOptions): string[] {
  const given = {
    '--number': number,
    '--tunnel': tunnel === 'none' ? undefined : tunnel,
    '--tunnel-server': tunnelServer,
    '--public-url': publicUrl,
    '--take': take,
  };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** Flags that make no sense together, all at once. */
function checkTogether({
  transport,
  carrier,
  sandbox,
  number,
  publicUrl,
  tunnel,
  tunnelServer,
  dialin,
  take,
  yes,
}: RunOptions): void {
  const typed = new TypedOptions();
  if (carrier && transport === 'rooms') typed.refuse(CARRIER_OF_ROOMS);
  if (sandbox && number !== undefined) typed.refuse('--sandbox has a number of its own: leave --number out');
  if (sandbox && (publicUrl ?? tunnel ?? tunnelServer) !== undefined) {
    typed.refuse('--sandbox needs no tunnel and no public address: it is on this machine');
  }
  if (publicUrl !== undefined && tunnel !== undefined && tunnel !== 'none') {
    typed.refuse('--public-url is used in place of a tunnel: leave one of the two out');
  }
  if (yes && !dialin) typed.refuse('--yes is about the number, which only --dialin changes');
  if (take && !dialin) typed.refuse('--take is about the number, which only --dialin changes');
  typed.throwIfRefused();
}
