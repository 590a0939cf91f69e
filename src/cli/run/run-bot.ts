import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, accountOf, sandboxAccount } from '../../assembly/account.js';
import { announcementOf } from '../../assembly/announcement.js';
import { streamProblems } from '../../assembly/carrier-audio.js';
import { CLOSE_DEADLINE_MS, type Closer, closeAll } from '../../assembly/close-all.js';
import { checkCluster, joinClusterOf } from '../../assembly/cluster-of-run.js';
import { botFileOf, createRunner, eventsOf } from '../../assembly/create-runner.js';
import { HeldNumbers } from '../../assembly/held-numbers.js';
import {
  announceSandbox,
  checkPublicSide,
  followTunnel,
  openPublicSide,
  routeUrlsOf,
} from '../../assembly/public-side.js';
import { restoredLine, tellKeptAside } from '../../assembly/restore-numbers.js';
import { pointSandboxNumber } from '../../assembly/sandbox-number.js';
import { type SandboxProcess, sandboxLost } from '../../assembly/sandbox-process.js';
import { checkStateDirectory } from '../../assembly/writable-state.js';
import { settlesWithin } from '../../base/async/deadline.js';
import { timeLimit } from '../../base/async/time-limit.js';
import { stateDirectory } from '../../config/environment.js';
import type { GiveBackOutcome, NumberLease } from '../../runner/numbers/number-lease.js';
import type { Runner } from '../../runner/runner.js';
import type { Tunnel } from '../../runner/tunnel/tunnel.js';
import { RunningRunners } from '../../runners/running-runners.js';
import type { Hotkeys } from '../../terminal/hotkeys.js';
import { StoppedBySignal, type StopSignal, watchSignals } from '../../terminal/signals.js';
import { runLogger } from '../../terminal/terminal-logger.js';
import { UsageError } from '../../terminal/typed-options.js';
import { type AskedNumber, askForNumber } from './ask-for-number.js';
import { reportCluster } from './cluster-report.js';
import { noBotLine } from './no-bot.js';
import { choosePort, portNote } from './port-problem.js';
import type { RunBotOptions } from './run-bot-options.js';
import { serveHotkeys, takeKeyboard } from './run-keys.js';
import { RunReport, transcriptionRefused } from './run-report.js';
import { startSandboxOf } from './start-sandbox.js';

/** What is left for tidying up once the person has asked a second time. */
const LEAVE_MS = 500;

/**
 * Serves a bot until a signal comes; then gives its number back, gives running calls time to end, and closes everything
 * in reverse order.
 * @throws StoppedBySignal in the end, unless its task was done before; what that throws; VoicebotError when it could not start, the
 *   number could not be given back, or the sandbox went away
 */
export async function runBot(options: RunBotOptions): Promise<void> {
  const opened: Closer[] = [];
  const signals = watchSignals();
  const hurry = signals.second.then(() => delay(LEAVE_MS));
  const stopped = new AbortController();
  const keys = takeKeyboard(options);
  const run = new Run(options, opened, stopped.signal, keys);
  try {
    const interrupted = signals.first.then((signal) => {
      throw new StoppedBySignal(signal);
    });
    const starting = run.start();
    try {
      await Promise.race([starting, interrupted]);
    } catch (error) {
      stopped.abort(error);
      // What is half done finishes first, so that all of it can be undone.
      await Promise.race([settlesWithin(starting, CLOSE_DEADLINE_MS), hurry]);
      throw error;
    }
    const task = run.task?.then(() => 'done' as const);
    task?.catch(() => {}); // a signal may come first
    const end = await Promise.race([signals.first, run.lost, ...(task ? [task] : [])]);
    const stopping = run.stop(end === 'done' ? 'SIGINT' : end, signals.second).then(() => 'stopped' as const);
    const left = await Promise.race([stopping, hurry.then(() => 'left' as const)]);
    if (end !== 'done') throw new StoppedBySignal(end);
    if (left === 'left') throw new StoppedBySignal(await signals.second); // the number may not be given back yet
  } finally {
    try {
      await Promise.race([closeAll(opened), hurry]);
    } finally {
      keys?.close();
      signals.close();
      run.farewell();
    }
  }
}

/** One `voicebot run`: what it has opened, in the order in which it opens it. */
class Run {
  /** Rejects when what everything rests on is gone. */
  readonly lost: Promise<never>;
  /** What it is served for, once it is served. */
  task: Promise<void> | undefined;
  readonly #fail: (error: Error) => void;
  #runner: Runner | undefined;
  #report: RunReport | undefined;
  #held: HeldNumbers | undefined;
  #withdraw: Closer = async () => {};
  #announceStopping: Closer = async () => {};
  /** Why giving back failed, and when by `performance.now()`. */
  #notGivenBack: { readonly error: unknown; readonly at: number } | undefined;
  #unfollow = () => {};
  readonly #startedAt = performance.now();

  constructor(
    private readonly options: RunBotOptions,
    private readonly opened: Closer[],
    private readonly stopped: AbortSignal,
    private readonly keys: Hotkeys | undefined,
  ) {
    let fail!: (error: Error) => void;
    this.lost = new Promise<never>((_, reject) => {
      fail = reject;
    });
    this.lost.catch(() => {});
    this.#fail = fail;
  }

  /** `opened` gets the way back of each thing as soon as it is open. */
  async start(): Promise<void> {
    const { config: given, transport, context, output, isDialin, isTaking, isVerbose } = this.options;
    const real = this.options.sandbox ? undefined : accountOf(given, transport);
    const events = eventsOf(given);
    if (real && this.options.insecureWebhooks) {
      throw new UsageError([
        '--insecure-webhooks cannot be used with an account: any program that reaches it could place calls',
      ]);
    }
    checkCluster(given, real);
    if (real) checkPublicSide(given, real);
    else announceSandbox(this.options);
    const home = stateDirectory(context.environment);
    checkStateDirectory(home);
    const config = { ...given, port: await choosePort(given, home) };
    if (!config.bot) output.line(noBotLine(context.directory));
    const logger = runLogger(output, isVerbose);

    const { cluster, coordination } = (real && (await joinClusterOf(real, this.options, this.opened, logger))) ?? {};
    const held = real && (await HeldNumbers.open(real, home, logger, cluster));
    this.#held = held;
    if (held) this.opened.push(() => held.close());
    const asked = held && isDialin ? await this.#askForNumber(held) : undefined;
    const isAsking = asked?.isAsking ?? false;
    if (held && !isAsking) await this.#restoreOrphans(held);
    const sandbox = real ? undefined : await this.#startSandbox();
    const account = real ?? sandboxAccount(sandbox as SandboxProcess, transport);
    if (account.kind === 'carrier') for (const problem of streamProblems(config, account.carrier)) output.warn(problem);
    const number = asked?.number ?? account.phoneNumber;
    const secret = config.roomsWebhookSecret ?? cluster?.secrets.webhookSecret ?? randomBytes(32).toString('base64');
    const token = config.runnerToken ?? cluster?.secrets.token ?? randomBytes(24).toString('base64url');

    const botFile = botFileOf(config, context.directory);
    const runner = createRunner({
      account,
      sandbox,
      number,
      secret,
      token,
      botFile,
      home,
      logger,
      config,
      events,
      coordination,
      insecureWebhooks: this.options.insecureWebhooks,
      standIns: this.options.standIns,
      environment: context.environment,
    });
    this.#runner = runner;
    const report = new RunReport(output, runner, config.logBots === 'on');
    this.#report = report;
    this.opened.push(() => runner.stop({ drainMs: 0 }));
    await output.step('Loading the bot', () => runner.start({ dials: !isAsking }));
    this.options.front?.leadTo(runner.url);
    const note = await portNote(given.port, runner.port, home);
    if (note) output.line(note);
    this.stopped.throwIfAborted();
    const isTried = real !== undefined || config.roomsClient === 'browser';
    if (transport === 'rooms' && isTried) await this.#tryRoom(runner, report);

    const tunnel = real && (await this.#openTunnel(runner, real));
    this.stopped.throwIfAborted();
    if (held) this.opened.push(() => this.#giveBackAtLast(held));
    await asked?.agree?.(); // what can fail without the number has succeeded
    if (held && isAsking) await this.#restoreOrphans(held);
    if (tunnel && isAsking) await this.#untilUp(tunnel, runner); // much may have happened while a person read
    const urls = routeUrlsOf(runner, transport);
    const take = (one: HeldNumbers, number: string) => one.take(number, urls, { secret, isTaking }, this.stopped);
    const taking = `Pointing ${number} at this runner`;
    const lease = held && asked ? await output.step(taking, () => take(held, asked.number)) : undefined;
    if (sandbox && number) await pointSandboxNumber(account, number, urls, secret);
    this.stopped.throwIfAborted();
    if (isAsking) await runner.startDialling();

    const startedAt = Date.now();
    const announced = { sandbox, transport, token, secret, startedAt, bot: botFile, directory: context.directory };
    const announcement = () => announcementOf({ runner, ...announced });
    const runners = new RunningRunners(home);
    const announce = () => runners.announce(announcement());
    this.#announceStopping = () => runners.announce({ ...announcement(), isStopping: true });
    this.#withdraw = await announce();
    this.opened.push(() => this.#withdraw());
    if (tunnel) {
      this.#follow(tunnel, runner, report, announce);
      this.opened.push(async () => this.#unfollow());
    }
    report.ready({
      bot: this.#botName,
      transport,
      number,
      lease,
      tunnel,
      isSandbox: sandbox !== undefined,
      carrier: account.kind === 'carrier' ? account.carrier.name : undefined,
      events: events && new URL(events.url).origin,
      standIns: this.options.standIns,
      environmentFiles: config.environmentFiles,
      nodeVersion: context.nodeVersion,
      ms: performance.now() - this.#startedAt,
      hasTask: this.options.task !== undefined,
    });
    if (cluster) this.opened.push(reportCluster(cluster.members, output));
    this.task = this.options.task?.(runner.url, token);
    const { keys } = this;
    if (!keys) return;
    this.opened.push(async () => keys.close());
    report.keysReady();
    serveHotkeys(keys, { runner, tunnel, report, output, config, isSandbox: !real });
  }

  /** New callers go where they went before, live calls may end, no command finds this runner any more. */
  async stop(signal: StopSignal, second: Promise<unknown>): Promise<void> {
    const runner = this.#runner as Runner;
    this.#report?.stopping(signal, runner.liveCalls);
    this.#unfollow(); // the number goes back now, and nowhere else
    // Others are told that it is there and takes no more calls; where that cannot be written down they find nothing.
    await this.#announceStopping().catch(() => this.#withdraw());
    const givingBack = this.#giveBack();
    // Ctrl+C means now: bots are asked to end their calls at once, which still gives those a proper end.
    const drainMs = signal === 'SIGTERM' ? this.options.config.drainSeconds * 1_000 : 0;
    const drained = runner.stop({ drainMs });
    const leaving = second.then(() => runner.stop({ drainMs: 0 }));
    await Promise.race([Promise.all([drained, givingBack]), leaving]);
  }

  /** A number that still points here is named, with what to type. */
  farewell(): void {
    this.#report?.close();
    for (const { number } of this.#held?.leases() ?? []) this.#report?.stillHeld(number);
  }

  /** What fails here is tried once more when everything is closed. */
  async #giveBack(): Promise<void> {
    const tell = (lease: NumberLease, outcome: GiveBackOutcome) => this.#report?.givenBack(lease, outcome);
    await this.#held?.giveBack(timeLimit(CLOSE_DEADLINE_MS), tell).catch((error: unknown) => {
      this.#notGivenBack = { error, at: performance.now() };
    });
  }

  /** Not at once after it has failed: the person who has pressed Ctrl+C waits no longer than for one try. */
  async #giveBackAtLast(held: HeldNumbers): Promise<void> {
    const { error, at } = this.#notGivenBack ?? { at: Number.NEGATIVE_INFINITY };
    if (performance.now() - at < CLOSE_DEADLINE_MS) throw error;
    await held.giveBack(timeLimit(CLOSE_DEADLINE_MS));
  }

  #follow(tunnel: Tunnel, runner: Runner, report: RunReport, announce: () => Promise<unknown>): void {
    this.#unfollow = followTunnel({
      runner,
      tunnel,
      transport: this.options.transport,
      held: this.#held,
      onLost: (reason) => report.tunnelLost(tunnel.kind, reason),
      onBack: (url, hasMoved) => {
        report.tunnelBack(url, hasMoved);
        void announce().catch(() => {}); // other commands find the old name then, which still is the runner's
      },
      onProblem: (message) => this.options.output.warn(message),
    });
  }

  /** What earlier runs have left is given back after a person has agreed, too. */
  #askForNumber(held: HeldNumbers): Promise<AskedNumber> {
    const { config, context, output, isTaking, isYes } = this.options;
    const { publicUrl } = config;
    const whileTyped = <Answer>(asking: () => Promise<Answer>) => (this.keys ? this.keys.release(asking) : asking());
    const asked = { bot: this.#botName, stopped: this.stopped, whileTyped };
    return askForNumber(held, { context, output, isTaking, isYes, publicUrl, ...asked });
  }

  /** For people. */
  get #botName(): string {
    const { config, context } = this.options;
    const file = botFileOf(config, context.directory);
    return config.bot ? relative(context.directory, file) || file : 'the bundled demo';
  }

  /** What earlier runs of this account have left. */
  async #restoreOrphans(held: HeldNumbers): Promise<void> {
    const { output } = this.options;
    for (const one of await held.restoreOrphans()) {
      output.event('restored', one);
      output.line(restoredLine(one));
    }
    tellKeptAside(held.journal, output);
  }

  async #startSandbox(): Promise<SandboxProcess> {
    const sandbox = await startSandboxOf(this.options);
    this.opened.push(() => sandbox.stop());
    void sandbox.ended.then((how) => this.#fail(sandboxLost(how)));
    return sandbox;
  }

  /** Whether bots will get into their rooms is known before anybody's number leads here. */
  async #tryRoom(runner: Runner, report: RunReport): Promise<void> {
    const { output } = this.options;
    const trial = await output.step('Trying a room', () => runner.tryRoom(this.stopped));
    if (!trial) return;
    report.roomTried(trial);
    const refused = transcriptionRefused(trial);
    if (refused && runner.uses.transcription === 'ears') throw refused;
    if (refused) output.warn(refused.message);
  }

  async #openTunnel(runner: Runner, account: Account): Promise<Tunnel> {
    const { config, context, output, front } = this.options;
    const what = config.publicUrl ? `Checking that ${config.publicUrl} leads here` : 'Opening a tunnel';
    const open = () => openPublicSide(runner, account, config, context.environment, this.stopped, front?.port);
    const tunnel = await output.step(what, open);
    this.opened.push(() => tunnel.close());
    return tunnel;
  }

  /** No number is pointed at a tunnel that is gone, or at a name that it had before. */
  async #untilUp(tunnel: Tunnel, runner: Runner): Promise<void> {
    const { output } = this.options;
    if (!tunnel.isUp) await output.step('Waiting for the tunnel', () => tunnel.untilUp(this.stopped));
    if (tunnel.url !== runner.addresses.publicUrl) runner.moveTo(tunnel.url);
  }
}
