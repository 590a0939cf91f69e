import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account, RoomsAccount } from '../../assembly/account.js';
import { botFileOf, createRunner, type EventsConfig, eventsOf, roomsBrowserOf } from '../../assembly/create-runner.js';
import { checkPublicSide } from '../../assembly/public-side.js';
import type { TransportKind } from '../../assembly/transports.js';
import { silentLogger } from '../../base/logger.js';
import { findOptionalPackagesFrom } from '../../base/optional-package.js';
import { readCallingRules } from '../../config/calling-rules-file.js';
import type { Config } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { type CarrierName, DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { carrierByName } from '../../providers/registry/carriers.js';
import { roomProviderByName } from '../../providers/registry/rooms.js';
import type { Runner } from '../../runner/runner.js';
import { newAccountAt, newRoomsKeyAt } from '../../sandbox/extension-side.js';
import { newAccount } from '../../sandbox/new-account.js';
import type { CliContext } from '../../terminal/context.js';
import { exitCodeOf, ReportedError } from '../../terminal/exit-codes.js';
import { nextCommand } from '../../terminal/next-command.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import { checkAccount } from './account-checks.js';
import { checkNeeds } from './bot-checks.js';
import { checkCarrier } from './carrier-checks.js';
import { examineCluster } from './cluster-check.js';
import { checkCredentials } from './credential-checks.js';
import { Findings } from './findings.js';
import { checkGuesses } from './guess-checks.js';
import { checkConfiguration, checkNode, checkPort } from './machine-checks.js';
import { checkPrices } from './price-checks.js';
import { checkReach } from './reach-checks.js';
import { checkRoom, checkTranscription, type TriedAccount } from './room-check.js';

/**
 * Checks everything a real call needs and shows it line by line. Leaves nothing changed, here or at a provider: a room that it
 * joins for the occasion is deleted, and the runner that it starts keeps its notes in a folder that is removed.
 * @throws ReportedError after a failure, for the exit code
 */
export async function examine(
  bot: string | undefined,
  options: DoctorOptions,
  context: CliContext,
  output: Output,
): Promise<void> {
  const signals = watchSignals();
  const stopped = new AbortController();
  void signals.first.then((signal) => stopped.abort(new StoppedBySignal(signal)));
  const findings = new Findings(output);
  let next = '';
  const home = mkdtempSync(join(tmpdir(), 'voicebot-doctor-'));
  try {
    next = await new Examination(options, context, findings, home, stopped.signal).run(bot);
  } finally {
    rmSync(home, { recursive: true, force: true });
    signals.close();
  }
  stopped.signal.throwIfAborted();
  const [first, ...others] = findings.all.filter(({ status }) => status === 'failure');
  const warnings = findings.all.filter(({ status }) => status === 'warning').length;
  const failures = first ? others.length + 1 : 0;
  output.event('examined', { failures, warnings, next: first ? undefined : nextCommand(next) });
  const last = first ? `${failures} of ${findings.all.length} checks failed.` : `${summary(warnings)} ${next}`;
  output.line(output.wrapped(last, 0));
  if (first?.code) {
    const { code, check, message, fix: hint } = first;
    const told = `${failures} of ${findings.all.length} checks failed, first ${check}: ${message}`;
    throw new ReportedError(exitCodeOf(code), told, { code, hint });
  }
}

const summary = (warnings: number) =>
  warnings === 0 ? 'All is well.' : `No failure, ${warnings === 1 ? 'one warning' : `${warnings} warnings`}.`;

/** One examination, from the machine outwards. */
class Examination {
  constructor(
    private readonly options: DoctorOptions,
    private readonly context: CliContext,
    private readonly findings: Findings,
    private readonly home: string,
    private readonly stopped: AbortSignal,
  ) {}

  /** @returns what to do next, should all be well: a sentence with the command that serves the bot */
  async run(bot: string | undefined): Promise<string> {
    const { findings, options, context } = this;
    checkNode(findings, context.nodeVersion);
    const { carrier, port, publicUrl, tunnel } = options;
    const given = { bot, carrier, port, publicUrl, tunnel };
    const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const sources = { flags, environment: context.environment, directory: context.directory };
    const config = await checkConfiguration(findings, sources);
    if (!config) return '';
    const isFree = await checkPort(findings, config, sources);
    checkEvents(findings, config);
    checkCallingRules(findings, config);
    const accounts = checkCredentials(findings, config, options.transport);
    checkPrices(findings, config, accounts);
    if (config.carriers.isNamed || accounts.some(({ kind }) => kind === 'carrier')) checkCarrier(findings, config);
    findOptionalPackagesFrom(botFileOf(config, context.directory));
    let rooms: RoomsAccount | undefined;
    for (const account of accounts) {
      const isTaken = await checkAccount(findings, config, account, this.stopped);
      if (account.kind !== 'rooms') continue;
      if (isTaken) {
        rooms = account;
        await checkRoom(findings, this.#tried(rooms, config));
      } else findings.warn('room', 'not tried, since the account could not be read', 'Correct the credentials first');
    }
    await examineCluster(findings, config, accounts[0]);
    this.stopped.throwIfAborted();
    // Without an account the sandbox's place is taken by one whose provider is never asked.
    const account = accounts[0] ?? (await nobodysAccount(options.transport ?? 'carrier', config));
    const [kind] = accounts.map((one) => one.kind);
    const words = ['npx voicebot run', ...(bot ? [bot] : []), ...(kind ? ['--transport', kind, '--dialin'] : [])];
    const next = `${kind ? 'Next:' : 'Next, on the offline phone network:'} ${words.join(' ')}`;
    const isOutside = accounts.length > 0 || tunnel !== undefined || publicUrl !== undefined;
    // A reverse proxy leads to the configured port; a tunnel leads to any.
    const parts = { account, config: { ...config, ...(!(isFree && config.publicUrl) && { port: 0 }) } };
    const secret = config.roomsWebhookSecret ?? randomBytes(32).toString('base64');
    const runner = await this.#startRunner(parts.config, account, secret);
    const state = stateDirectory(context.environment);
    for (const one of accounts) checkGuesses(findings, config, one, runner?.uses, state);
    if (!runner) return next;
    try {
      const { uses } = runner;
      const needing = { uses, config, hasAccount: accounts.length > 0, transport: account.kind };
      await checkNeeds(findings, { ...needing, signal: this.stopped });
      if (rooms && uses.transcription)
        await checkTranscription(findings, uses.transcription, this.#tried(rooms, config));
      const isRefused = findings.all.some(({ check, status }) => check === 'credentials' && status === 'failure');
      if (!isOutside && !isRefused) findings.ok('tunnel', 'not needed: the sandbox is on this machine');
      else if (!isOutside) return next;
      else if (config.publicUrl && !isFree) {
        const text = `${config.publicUrl} leads to the runner that uses the port`;
        findings.warn('tunnel', text, 'Stop that runner, or press t there, to check the address');
      } else await this.#checkReach(runner, account, parts.config, secret);
    } finally {
      await runner.stop({ drainMs: 0 });
    }
    return next;
  }

  #tried(account: RoomsAccount, config: Config): TriedAccount {
    const browser = roomsBrowserOf(account, config, this.context.environment, silentLogger);
    return { ...account, browser, roomsClient: config.roomsClient, home: this.home, signal: this.stopped };
  }

  async #checkReach(runner: Runner, account: Account, config: Config, secret: string): Promise<void> {
    const { findings, stopped: signal, context } = this;
    try {
      checkPublicSide(config, account);
    } catch (error) {
      return findings.fail('tunnel', error);
    }
    await checkReach(findings, { runner, account, config, environment: context.environment, secret, signal });
  }

  /** Loads the bot, which is a check of its own. Undefined when there is no runner to go on with. */
  async #startRunner(config: Config, account: Account, secret: string): Promise<Runner | undefined> {
    const { findings, context } = this;
    // they may be damaged, or allow no call, which are checks of their own
    const { callingRules: _, pricesFile: __, dialMoneyPerDay: ___, dialMinutesPerDay: ____, ...others } = config;
    const runner = createRunner({
      config: { ...others, roomsClient: 'built-in' }, // it serves no call, and keeps no browser for any
      account,
      sandbox: undefined,
      number: account.phoneNumber,
      secret,
      token: randomBytes(24).toString('base64url'),
      botFile: botFileOf(config, context.directory),
      home: this.home,
      insecureWebhooks: false,
      environment: context.environment,
      logger: silentLogger,
    });
    const startedAt = performance.now();
    let failure: unknown;
    runner.once('reload_failed', (error) => {
      failure = error;
    });
    // A bot that never finishes loading does not keep anybody who has pressed Ctrl-C.
    const stop = () => runner.stop({ drainMs: 0 });
    this.stopped.addEventListener('abort', stop, { once: true });
    try {
      await runner.start();
      const first = Math.round(performance.now() - startedAt);
      const again = performance.now();
      await runner.reload();
      if (failure) throw failure;
      this.stopped.throwIfAborted();
      const ms = Math.round(performance.now() - again);
      findings.ok('bot', `loads in ${first} ms, another process of it in ${ms} ms`);
      return runner;
    } catch (error) {
      await runner.stop({ drainMs: 0 });
      this.stopped.throwIfAborted();
      findings.fail('bot', error);
      return undefined;
    } finally {
      this.stopped.removeEventListener('abort', stop);
    }
  }
}

async function nobodysAccount(kind: TransportKind, { carriers, roomsProvider }: Config): Promise<Account> {
  const apiUrl = 'http://127.0.0.1:9'; // the discard port
  if (kind === 'rooms') {
    const apiKey = await newRoomsKeyAt(roomsProvider).catch(() => 'none');
    return { kind, roomProvider: roomProviderByName(roomsProvider), credentials: { apiKey, apiUrl } };
  }
  const carrier = carrierByName(carriers.carrier ?? DEFAULT_CARRIER);
  // A carrier that the sandbox does not play knows no form of an account without one.
  const account = await newAccountAt(carrier.name).catch(() => newAccount());
  return { kind, carrier, credentials: { ...account, apiUrl } };
}

export interface DoctorOptions {
  transport?: TransportKind;
  carrier?: CarrierName;
  tunnel?: Config['tunnel'];
  publicUrl?: string;
  port?: number;
  json?: boolean;
}

/** Whether events for the user's application can be sent, as far as the settings tell. */
function checkEvents(findings: Findings, config: EventsConfig): void {
  const { eventsUrl, eventsSecret } = config;
  try {
    if (eventsOf(config)) findings.ok('events', `sent to ${new URL(eventsUrl as string).origin}, signed`);
    else if (eventsSecret) {
      const text = 'VOICEBOT_EVENTS_SECRET is set, and no address to send events to';
      findings.warn('events', text, 'Set VOICEBOT_EVENTS_URL too, or neither');
    }
  } catch (error) {
    findings.fail('events', error);
  }
}

/** Whether the user's rules of calling hours can be read. */
function checkCallingRules(findings: Findings, { callingRules: file }: Config): void {
  if (file === undefined) return;
  try {
    const { rules, switchedOff, allOff } = readCallingRules(file);
    const off = switchedOff.map(({ country }) => country).join(', ');
    const held = `hold for ${rules.map(({ country }) => country).join(', ')}${off && `, and are off for ${off}`}`;
    findings.ok('hours', `calling hours ${allOff === undefined ? held : 'are switched off'}: ${file}`);
  } catch (error) {
    findings.fail('hours', error);
  }
}
