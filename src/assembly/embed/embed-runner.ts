import { randomBytes } from 'node:crypto';
import { Server } from 'node:http';
import { resolve } from 'node:path';
import { createLogger, type Logger } from '../../base/logger.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';
import { type Config, resolveConfig } from '../../config/config.js';
import { processEnvironment, stateDirectory } from '../../config/environment.js';
import { DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { parseStartRequest } from '../../runner/dialing/start-request.js';
import { sharedServer } from '../../runner/http/shared-server.js';
import type { Runner } from '../../runner/runner.js';
import { RunningRunners } from '../../runners/running-runners.js';
import { type Account, accountOf, sandboxAccount } from '../account.js';
import { announcementOf } from '../announcement.js';
import { type Closer, closeAll } from '../close-all.js';
import { createRunner, eventsOf } from '../create-runner.js';
import { routeUrlsOf } from '../public-side.js';
import { pointSandboxNumber } from '../sandbox-number.js';
import { type SandboxProcess, sandboxLost, startSandboxProcess } from '../sandbox-process.js';
import { checkStateDirectory } from '../writable-state.js';

/** What {@link embedRunner} needs to know. All else are settings and credentials, which it reads as `voicebot run` does. */
export interface EmbedOptions {
  /** The server of the application: plain HTTP, and listening on a port. */
  readonly server: Server;
  /** Path of the bot file, from the working directory. */
  readonly bot: string;
  /** Below it are all addresses of the runner. Letters, digits, `-`, `_` and `/`; begins with a slash. Default `/voicebot`. */
  readonly path?: string | undefined;
  /** Calls come from the offline phone network, also where there are credentials. Default: where there are none. */
  readonly sandbox?: boolean | undefined;
  /** Stand-ins serve the calls in place of the services that need keys. Default false. */
  readonly standIns?: boolean | undefined;
  /** Default: JSON lines on standard error. */
  readonly logger?: Logger | undefined;
  /** Is told each line that a bot writes, and where its code has thrown. Default: standard error. */
  readonly onBotOutput?: ((line: string) => void) | undefined;
}

/** What the bot of a dialled call is told, and where the callee is. */
export interface EmbeddedDialOptions {
  /** Custom data for the bot, JSON of at most 8 KiB. Default `{}`. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Where the callee is, as IANA names the zone. Default: where the number may be. */
  readonly timeZone?: string | undefined;
}

/** A runner in the server of an application. */
export interface EmbeddedRunner {
  /** Where this machine reaches it, without a trailing slash: `http://127.0.0.1:3000/voicebot`. */
  readonly url: string;
  /** Where the carrier reaches it: the webhooks of the number are below it. */
  readonly publicUrl: string;
  /** The bot's own, E.164; undefined where none is set. */
  readonly number: string | undefined;
  readonly isSandbox: boolean;
  /**
   * Has the bot call a number.
   * @param to E.164
   * @returns the identifier of the call, as events and `/calls/:id` have it
   * @throws VoicebotError with what `POST /start` would answer, such as VB_REQUEST_INVALID or VB_DIAL_LIMIT
   */
  dial(to: string, options?: EmbeddedDialOptions): Promise<{ readonly callId: string }>;
  /**
   * Takes no new calls, lets those that go on end, and leaves the server to the application. Called again, it waits for no call.
   * @param options `drainMs`: how long calls may go on, in milliseconds; default: as `VOICEBOT_DRAIN_SECONDS` says
   */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

const EMBED: OptionNames<EmbedOptions> = {
  server: true,
  bot: true,
  path: true,
  sandbox: true,
  standIns: true,
  logger: true,
  onBotOutput: true,
};
const DEFAULT_PATH = '/voicebot';
const PATH = /^(?:\/[\w-]+)+$/;

/**
 * Serves a bot in the server of an application: the webhooks, streams and page of the runner are below one path, and the application keeps
 * all others. What comes below that path never reaches the application, so its body parsers and WebSockets change nothing that a provider
 * has signed. Settings and credentials are those of `voicebot run`, from the environment and the files in the working directory.
 *
 * The runner opens no tunnel and takes no number: with an account it needs `VOICEBOT_PUBLIC_URL`, and the number is pointed at its
 * `publicUrl` by you. It belongs to no cluster.
 * @throws VoicebotError VB_CONFIG_INVALID with every problem of the options; VB_CREDENTIALS_MISSING, VB_BOT_LOAD_FAILED, VB_SANDBOX_FAILED
 */
export async function embedRunner(options: EmbedOptions): Promise<EmbeddedRunner> {
  const { server, bot, path = DEFAULT_PATH, logger = createLogger() } = options;
  const { onBotOutput = (line) => process.stderr.write(`${line}\n`) } = options;
  refuseProblems(problemsOf(options));
  const environment = processEnvironment();
  const directory = process.cwd();
  const config = await resolveConfig({ flags: { bot }, environment, directory });
  const real = options.sandbox ? undefined : accountOf(config, config.transport);
  refuseProblems(configProblems(config, real));
  const events = eventsOf(config);
  const home = stateDirectory(environment);
  checkStateDirectory(home);
  const opened: Closer[] = [];
  try {
    const sandbox = real ? undefined : await openSandbox(config, environment, opened, logger);
    const account = real ?? sandboxAccount(sandbox as SandboxProcess, config.transport);
    const number = account.phoneNumber;
    const secret = config.roomsWebhookSecret ?? randomBytes(32).toString('base64');
    const token = config.runnerToken ?? randomBytes(24).toString('base64url');
    const botFile = resolve(directory, bot);
    const runner = createRunner({
      ...{ account, sandbox, number, secret, token, botFile, home, events, environment, logger },
      config: { ...config, ...(config.publicUrl !== undefined && { publicUrl: config.publicUrl + path }) },
      server: sharedServer(server, path),
      standIns: options.standIns ?? false,
      insecureWebhooks: false,
    });
    for (const name of ['problem', 'reload_failed'] as const) {
      runner.on(name, (told: string | Error) => logger.warn(told instanceof Error ? told.message : told));
    }
    runner.on('bot_output', (line) => onBotOutput(line));
    opened.push(() => runner.stop({ drainMs: 0 }));
    await runner.start();
    const { transport } = config;
    if (sandbox && number) await pointSandboxNumber(account, number, routeUrlsOf(runner, transport), secret);
    const announced = { runner, sandbox, transport, secret, token, startedAt: Date.now(), bot: botFile, directory };
    opened.push(await new RunningRunners(home).announce(announcementOf(announced)));
    return embedded(runner, number, !real, opened);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

function embedded(runner: Runner, number: string | undefined, isSandbox: boolean, opened: Closer[]): EmbeddedRunner {
  let closing: Promise<void> | undefined;
  return {
    url: runner.url,
    publicUrl: runner.addresses.publicUrl,
    number,
    isSandbox,
    async dial(to, { body, timeZone } = {}) {
      const asked = { phone_number: to, body, time_zone: timeZone };
      const { callId } = await runner.dial({
        ...parseStartRequest(Buffer.from(JSON.stringify(asked))),
        parameters: {},
      });
      return { callId };
    },
    async stop(options) {
      await runner.stop(options);
      closing ??= closeAll(opened);
      await closing;
    },
  };
}

async function openSandbox(
  { carriers, transport, roomsProvider }: Config,
  environment: ReturnType<typeof processEnvironment>,
  opened: Closer[],
  logger: Logger,
): Promise<SandboxProcess> {
  const carrier = carriers.carrier ?? DEFAULT_CARRIER;
  const expectsRooms = transport === 'rooms';
  const wishes = { carrier, isVerbose: false, expectsRooms, roomsProvider };
  const sandbox = await startSandboxProcess(environment, wishes);
  let isWanted = true;
  opened.push(() => {
    isWanted = false;
    return sandbox.stop();
  });
  void sandbox.ended.then((how) => isWanted && logger.error(sandboxLost(how).message));
  return sandbox;
}

function problemsOf(options: EmbedOptions): string[] {
  const { server, bot, path = DEFAULT_PATH } = options;
  const problems = unknownOptions(options, EMBED);
  const address = server instanceof Server ? server.address() : undefined;
  if (address === undefined) problems.push('server must be the http.Server of your application');
  else if (address === null || typeof address === 'string') {
    problems.push('server does not listen on a port yet: await its "listening" first');
  }
  if (typeof bot !== 'string' || bot === '') problems.push('bot must be the path of a bot file');
  if (!PATH.test(path)) problems.push(`path must be one such as ${DEFAULT_PATH}, got ${JSON.stringify(path)}`);
  return problems;
}

/** What of the settings asks for more than a runner in the server of an application does. */
function configProblems(config: Config, real: Account | undefined): string[] {
  const problems: string[] = [];
  if (config.cluster !== undefined) problems.push('VOICEBOT_CLUSTER is set: an embedded runner belongs to no cluster');
  if (real && config.publicUrl === undefined) {
    problems.push('VOICEBOT_PUBLIC_URL is not set: the provider needs an https address of your server');
  }
  if (real?.kind === 'rooms' && config.roomsWebhookSecret === undefined) {
    problems.push('ROOMS_WEBHOOK_SECRET is not set: with it the webhooks of the room provider are checked');
  }
  return problems;
}
