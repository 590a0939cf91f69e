import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { settlesWithin } from '../async/deadline.js';
import type { Config } from '../config/config.js';
import { basicEnvironment, stateDirectory } from '../config/environment.js';
import { isLoopbackHost } from '../config/settings.js';
import { VoicebotError } from '../errors.js';
import { createLogger } from '../logger.js';
import { Runner } from '../runner/runner.js';
import type { CliContext } from './context.js';
import type { Output } from './output.js';
import { packageRoot } from './package-root.js';
import { accountOf, accountProvider, sandboxProvider, type TransportKind } from './run-provider.js';
import { RunReport } from './run-report.js';
import { RunningRunners } from './running-runners.js';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.js';
import { StoppedBySignal, type StopSignal, watchSignals } from './signals.js';
import { terminalLogger } from './terminal-logger.js';

export interface RunBotOptions {
  config: Config;
  transport: TransportKind;
  /** Use the sandbox whatever credentials there are. */
  sandbox: boolean;
  insecureWebhooks: boolean;
  /** Write the full log to standard error instead of showing only what needs attention. */
  isVerbose: boolean;
  context: CliContext;
  output: Output;
}

/** Who answers a transfer on the sandbox unless the configuration names somebody else. */
const SANDBOX_OPERATOR = '+12025550101';
/** What is left for tidying up once the person has asked a second time. */
const LEAVE_MS = 500;
const CLOSE_DEADLINE_MS = 5_000;

/**
 * Serves a bot until a signal comes; then gives running calls time to end and closes everything in reverse order.
 * @throws StoppedBySignal in the end, or VoicebotError when it could not start or the sandbox went away
 */
export async function runBot(options: RunBotOptions): Promise<never> {
  const opened: Closer[] = [];
  const signals = watchSignals();
  const hurry = signals.second.then(() => delay(LEAVE_MS));
  try {
    const interrupted = signals.first.then((signal) => {
      throw new StoppedBySignal(signal);
    });
    const { runner, report, sandbox, withdraw } = await Promise.race([start(options, opened), interrupted]);
    const signal = await Promise.race([signals.first, ...(sandbox ? [lost(sandbox)] : [])]);
    report.stopping(signal, runner.liveCalls);
    await withdraw(); // nobody shall find a runner that takes no more calls
    // Ctrl+C means now: bots are asked to end their calls at once, which still gives those a proper end.
    const drained = runner.stop({ drainMs: signal === 'SIGTERM' ? options.config.drainSeconds * 1_000 : 0 });
    const leaving = signals.second.then(() => runner.stop({ drainMs: 0 }));
    await Promise.race([drained, leaving, hurry]);
    throw new StoppedBySignal(signal);
  } finally {
    await Promise.race([closeAll(opened), hurry]);
    signals.close();
  }
}

type Closer = () => Promise<void>;

/** In reverse order, and each of them even when another fails. */
async function closeAll(opened: Closer[]): Promise<void> {
  for (const close of opened.reverse()) await settlesWithin(close(), CLOSE_DEADLINE_MS);
}

interface Started {
  runner: Runner;
  report: RunReport;
  sandbox: SandboxProcess | undefined;
  /** Takes the announcement to other commands back. */
  withdraw: Closer;
}

/** Opens one thing after the other; `opened` gets the way back of each as soon as it is open. */
async function start(options: RunBotOptions, opened: Closer[]): Promise<Started> {
  const { config, transport, context, output } = options;
  const account = options.sandbox ? undefined : accountOf(config, transport, options.insecureWebhooks);
  if (!account) {
    if (!options.sandbox) {
      const provider = transport === 'carrier' ? 'carrier' : 'room provider';
      output.line(`No ${provider} credentials found: using the sandbox, the offline phone network.`);
    }
    requireLocalHost(config.host);
  }

  const startSandbox = () =>
    startSandboxProcess(context.environment, {
      isVerbose: options.isVerbose,
      expectsRooms: transport === 'rooms',
    });
  const sandbox = account ? undefined : await output.step('Starting the sandbox', startSandbox);
  if (sandbox) opened.push(() => sandbox.stop());
  const provider = account
    ? accountProvider(account, config)
    : sandboxProvider(sandbox as SandboxProcess, transport, config);
  const { phoneNumber } = provider;
  const operatorNumber = config.operatorNumber ?? (sandbox && SANDBOX_OPERATOR);
  const token = config.runnerToken ?? randomBytes(24).toString('base64url');
  const home = stateDirectory(context.environment);

  const runner = new Runner({
    botFile: config.bot ? resolve(context.directory, config.bot) : resolve(packageRoot, 'templates/demo/bot.ts'),
    host: config.host,
    port: config.port,
    ...(account && { publicUrl: config.publicUrl }),
    provider: provider.side,
    token,
    insecureWebhooks: options.insecureWebhooks,
    phoneNumber,
    operatorNumber,
    dialCountries: config.dialCountries,
    dialLimits: {
      perMinute: config.dialPerMinute,
      atOnce: config.dialAtOnce,
      secondsPerNumber: config.dialSecondsPerNumber,
    },
    dialMaxSeconds: config.dialMaxSeconds,
    ringSeconds: config.ringSeconds,
    maxCallSeconds: config.maxCallSeconds,
    silenceSeconds: config.silenceSeconds,
    stateDirectory: home,
    callsPerProcess: config.callsPerProcess,
    warm: config.warm,
    drainMs: config.drainSeconds * 1_000,
    processEnvironment: basicEnvironment(context.environment),
    botEnvironment: {
      ...config.environment,
      ...provider.botEnvironment,
      ...(operatorNumber && { OPERATOR_NUMBER: operatorNumber }),
    },
    logger: options.isVerbose ? createLogger({ level: 'debug' }) : terminalLogger(output),
  });
  const report = new RunReport(output, runner);
  opened.push(() => runner.stop({ drainMs: 0 }));
  await output.step('Loading the bot', () => runner.start());

  if (sandbox) await provider.register(runner.addresses);
  const withdraw = await new RunningRunners(home).announce({
    version: 1,
    pid: process.pid,
    port: runner.port,
    url: runner.url,
    startedAt: Date.now(),
    token,
    ...(sandbox && { sandbox: { url: sandbox.url, phoneToken: sandbox.phoneToken, number: sandbox.number } }),
  });
  opened.push(withdraw);
  report.ready(transport, phoneNumber, sandbox !== undefined);
  return { runner, report, sandbox, withdraw };
}

/**
 * The sandbox calls nothing but this machine.
 * @throws VoicebotError VB_CONFIG_INVALID
 */
function requireLocalHost(host: string): void {
  if (isLoopbackHost(host) || host === '0.0.0.0' || host === '::') return;
  throw new VoicebotError('VB_CONFIG_INVALID', `the sandbox cannot reach a server on ${host}`, {
    hint: 'Leave --host out, or use 0.0.0.0 to listen everywhere',
  });
}

async function lost(sandbox: SandboxProcess): Promise<StopSignal> {
  await sandbox.ended;
  throw new VoicebotError('VB_SANDBOX_FAILED', 'its process ended while calls could still come', {
    hint: 'Start the runner again; with --verbose it says more.',
  });
}
