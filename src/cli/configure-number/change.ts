import { leaseAccountOf, routingOf } from '../../assembly/account.js';
import { refuseWithoutVoice } from '../../assembly/choose-number.js';
import { type KnownAccount, knownAccounts } from '../../assembly/known-accounts.js';
import { isAnswered, whoAnswers } from '../../assembly/number-text.js';
import { restoredLine, tellKeptAside, throwIfLeft } from '../../assembly/restore-numbers.js';
import { pointSandboxNumber } from '../../assembly/sandbox-number.js';
import { CARRIER_OF_ROOMS, type TransportKind } from '../../assembly/transports.js';
import { VoicebotError } from '../../base/errors.js';
import { isLoopbackHost } from '../../base/http/loopback-host.js';
import { silentLogger } from '../../base/logger.js';
import { identityOf } from '../../base/process/process-identity.js';
import type { NumberRoute, RouteUrls } from '../../call/number-routing.js';
import type { Config } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { integer, phoneNumber } from '../../config/settings.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import { WebhookAddresses } from '../../runner/http/webhook-addresses.js';
import type { LeaseEntry } from '../../runner/numbers/lease-entry.js';
import { heldBy } from '../../runner/numbers/lease-errors.js';
import { LeaseJournal } from '../../runner/numbers/lease-journal.js';
import { isLiveAddress, isOrphan } from '../../runner/numbers/lease-liveness.js';
import { NumberLease } from '../../runner/numbers/number-lease.js';
import { restoreLeases } from '../../runner/numbers/restore-leases.js';
import { RunningRunners } from '../../runners/running-runners.js';
import { ask, type CliContext, saysYes } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { aligned } from '../../terminal/table.js';
import { TypedOptions, UsageError } from '../../terminal/typed-options.js';

export interface ConfigureRequest {
  /** E.164; undefined to list. */
  readonly number: string | undefined;
  readonly transport: TransportKind | undefined;
  readonly carrier: CarrierName | undefined;
  /** Where to point it; undefined for the running runner. */
  readonly url: string | undefined;
  readonly port: number | undefined;
  readonly isDryRun: boolean;
  readonly isReset: boolean;
  readonly isTaking: boolean;
  readonly isYes: boolean;
}

/** @throws UsageError naming every problem there is */
export function parseConfigureRequest(number: string | undefined, options: ConfigureOptions): ConfigureRequest {
  const typed = new TypedOptions();
  const { transport, carrier, dryRun = false, reset = false, take = false, yes = false } = options;
  const request = {
    number: typed.check('number', number, phoneNumber),
    transport,
    carrier,
    url: typed.check('--url', options.url, webhookBase),
    port: typed.check('--port', options.port, integer(1, 65_535)),
    isDryRun: dryRun,
    isReset: reset,
    isTaking: take,
    isYes: yes,
  };
  const changes = {
    '--url': options.url,
    '--port': options.port,
    '--dry-run': dryRun,
    '--reset': reset,
    '--take': take,
  };
  const given = Object.entries(changes).filter(([, value]) => value !== undefined && value !== false);
  if (carrier && transport === 'rooms') typed.refuse(CARRIER_OF_ROOMS);
  if (number === undefined && given.length > 0) {
    typed.refuse(`${given.map(([name]) => name).join(', ')}: name the number to change`);
  }
  if (options.url !== undefined && options.port !== undefined) {
    typed.refuse('--port names a runner on this machine and cannot be combined with --url');
  }
  if (reset && (options.url ?? options.port) !== undefined) {
    typed.refuse('--reset puts back what was there before and cannot be combined with --url or --port');
  }
  typed.throwIfRefused();
  return request;
}

/**
 * Lists the numbers of the accounts with who answers them, or changes who answers one.
 * @throws VoicebotError VB_CREDENTIALS_MISSING, VB_NUMBER_UNKNOWN, VB_NUMBER_NO_VOICE, VB_NUMBER_HELD, VB_RUNNER_NOT_FOUND,
 *   VB_REGISTRATION_FAILED, VB_RESTORE_FAILED and what a request throws; UsageError when there is no person to ask
 */
export async function configureNumber(request: ConfigureRequest, context: CliContext, output: Output): Promise<void> {
  const { config, accounts } = await knownAccounts(context, request.transport, request.carrier);
  const journal = new LeaseJournal(stateDirectory(context.environment));
  try {
    if (request.number === undefined) await listNumbers(accounts, journal, output);
    else await new Change(request.number, request, config, accounts, journal, context, output).make();
  } finally {
    tellKeptAside(journal, output);
  }
}

async function listNumbers(accounts: readonly KnownAccount[], journal: LeaseJournal, output: Output): Promise<void> {
  const rows: string[][] = [];
  const left: string[] = [];
  for (const { account, isSandbox } of accounts) {
    const routes = await withRouting(account, (routing) => routing.list());
    const name = account.kind === 'carrier' ? account.carrier.name : account.kind;
    const provider = isSandbox ? `${name} (sandbox)` : name;
    const numbers = await Promise.all(
      routes.map(async (route) => {
        const entry = journal.read(leaseAccountOf(account), route.number);
        const isLeft = entry !== undefined && (await isOrphan(entry, isLiveAddress));
        if (isLeft) left.push(route.number);
        return { ...route, held: heldOf(entry, isLeft) };
      }),
    );
    output.event('numbers', { transport: account.kind, sandbox: isSandbox, numbers });
    rows.push(...numbers.map((one) => [one.number, provider, answeredBy(one), one.held ?? '']));
  }
  if (rows.length === 0) output.line('The account has no numbers.');
  else {
    const heads = ['NUMBER', 'ACCOUNT', 'ANSWERED BY', ...(rows.some(([, , , held]) => held) ? ['HELD BY'] : [])];
    for (const row of aligned([heads, ...rows])) output.result(row);
  }
  if (left.length > 0) {
    output.line(
      `The run that held ${left.join(', ')} has ended without giving back. Give back with: npx voicebot restore`,
    );
  }
}

const answeredBy = (route: NumberRoute) =>
  route.takesCalls === false ? 'no call: the number has no voice' : whoAnswers(route);

/** Who gives a number back, for people. */
function heldOf(entry: LeaseEntry | undefined, isLeft: boolean): string | undefined {
  if (!entry) return undefined;
  if (entry.isKept) return 'configure-number';
  return isLeft ? `process ${entry.pid}, which has ended` : `process ${entry.pid}`;
}

/** One change of one number. */
class Change {
  constructor(
    private readonly number: string,
    private readonly request: ConfigureRequest,
    private readonly config: Config,
    private readonly accounts: readonly [KnownAccount, ...KnownAccount[]],
    private readonly journal: LeaseJournal,
    private readonly context: CliContext,
    private readonly output: Output,
  ) {}

  async make(): Promise<void> {
    const { known, route } = await this.#find();
    await (this.request.isReset ? this.#reset(known, route) : this.#set(known, route));
  }

  /** The account that has the number. @throws VoicebotError VB_NUMBER_UNKNOWN, VB_NUMBER_NO_VOICE */
  async #find(): Promise<{ known: KnownAccount; route: NumberRoute }> {
    const all: NumberRoute[] = [];
    for (const known of this.accounts) {
      const routes = await withRouting(known.account, (routing) => routing.list());
      const route = routes.find(({ number }) => number === this.number);
      if (route) {
        if (!this.request.isReset) refuseWithoutVoice(route, routes);
        return { known, route };
      }
      all.push(...routes);
    }
    const list = [...new Set(all.map(({ number }) => number))].join(', ');
    const [where, which] = this.accounts.length === 1 ? ['this account', 'it'] : ['these accounts', 'they'];
    const has = which === 'it' ? 'has' : 'have';
    throw new VoicebotError(
      'VB_NUMBER_UNKNOWN',
      `${this.number} is not on ${where}: ${which} ${has} ${list || 'none'}`,
      {
        hint: 'See who answers them: npx voicebot configure-number',
      },
    );
  }

  async #set(known: KnownAccount, route: NumberRoute): Promise<void> {
    const { output, number, request } = this;
    const target = await this.#target(known);
    const { answerUrl } = target.urls;
    const change = { number, transport: known.account.kind, before: route, after: answerUrl, dryRun: request.isDryRun };
    output.line(`${number}  ${whoAnswers(route)}`);
    output.line(`${''.padEnd(number.length)}  → ${answerUrl}`);
    if (request.isDryRun || route.webhookUrl === answerUrl) {
      output.event('configured', { ...change, changed: false });
      output.line(request.isDryRun ? 'Nothing was changed (--dry-run).' : 'It points there already.');
      return;
    }
    await this.#askBefore(route);
    if (known.isSandbox) await pointSandboxNumber(known.account, number, target.urls, target.secret);
    else await this.#take(known, target);
    output.event('configured', { ...change, changed: true });
    const later =
      target.pid === undefined
        ? ` Put it back with: npx voicebot configure-number ${number} --reset`
        : ' It is given back when that runner ends.';
    output.line(`${output.paint.green('✔')} ${number} points there now.${known.isSandbox ? '' : later}`);
  }

  #take({ account }: KnownAccount, { urls, secret, pid }: Target): Promise<NumberLease> {
    const { number, journal, request } = this;
    return withRouting(account, (routing) =>
      NumberLease.take({
        routing,
        account: leaseAccountOf(account),
        number,
        urls,
        secret,
        journal,
        isTaking: request.isTaking,
        isKept: pid === undefined,
        ...(pid !== undefined && { owner: identityOf(pid) }),
        logger: silentLogger,
      }),
    );
  }

  async #reset({ account, isSandbox }: KnownAccount, route: NumberRoute): Promise<void> {
    const { journal, number, output, request } = this;
    const leaseAccount = leaseAccountOf(account);
    const entry = isSandbox ? undefined : journal.read(leaseAccount, number);
    if (!entry) {
      throw new VoicebotError('VB_REQUEST_INVALID', `voicebot has no record of what ${number} was set to before`, {
        hint: `It is answered by ${whoAnswers(route)}. Set it with: npx voicebot configure-number ${number} --url https://…`,
      });
    }
    const { route: former } = entry.below ?? entry;
    output.line(`${number}  ${whoAnswers(route)}`);
    output.line(`${''.padEnd(number.length)}  → ${whoAnswers(former)}`);
    if (request.isDryRun) {
      const { webhookUrl: after } = former;
      output.event('configured', {
        number,
        transport: account.kind,
        before: route,
        after,
        dryRun: true,
        changed: false,
      });
      output.line('Nothing was changed (--dry-run).');
      return;
    }
    if (!entry.isKept && !request.isTaking && !(await isOrphan(entry, isLiveAddress))) throw heldBy(number, entry);
    const restored = await withRouting(account, (routing) =>
      restoreLeases({ journal, routingFor: () => routing, number, isForced: true }),
    );
    for (const one of restored) {
      output.event('restored', one);
      output.line(restoredLine(one));
    }
    throwIfLeft(restored);
  }

  /** @throws VoicebotError VB_RUNNER_NOT_FOUND */
  async #target({ account, isSandbox }: KnownAccount): Promise<Target> {
    const { url, port } = this.request;
    const { kind } = account;
    const { config } = this;
    if (url !== undefined) return { urls: urlsAt(url, kind), secret: config.roomsWebhookSecret };
    const { pid, webhooks } = await new RunningRunners(stateDirectory(this.context.environment)).find({ port });
    if (
      webhooks?.transport !== kind ||
      (isLoopbackUrl(webhooks.publicUrl) && !isSandbox && !isLoopbackUrl(account.credentials.apiUrl))
    ) {
      throw new VoicebotError('VB_RUNNER_NOT_FOUND', `none that takes calls of the ${kind} account`, {
        hint: `Start one: npx voicebot run --transport ${kind}, or name a server: --url https://…`,
      });
    }
    return { urls: urlsAt(webhooks.publicUrl, kind), secret: webhooks.secret, pid };
  }

  /** @throws UsageError when there is no person to ask, ReportedError when they said no */
  async #askBefore(route: NumberRoute): Promise<void> {
    if (!isAnswered(route) || route.isOurs || this.request.isYes) return;
    const answer = await ask(this.context, 'Replace it? [y/N] ');
    if (answer === undefined) {
      throw new UsageError([`${this.number} is answered by ${whoAnswers(route)}: replace it with --yes`]);
    }
    if (saysYes(answer)) return;
    this.output.line('Nothing was changed.');
    throw new ReportedError(EXIT.usage, `${this.number} was not changed`, {
      code: 'VB_USAGE',
      hint: 'Replace it with --yes',
    });
  }
}

interface Target {
  readonly urls: RouteUrls;
  /** Signs the room provider's webhooks, base64; undefined: stays what it is. */
  readonly secret: string | undefined;
  /** The runner that gives it back when it ends; undefined: it stays. */
  readonly pid?: number;
}

async function withRouting<T>(
  account: KnownAccount['account'],
  use: (routing: Awaited<ReturnType<typeof routingOf>>) => Promise<T>,
): Promise<T> {
  const routing = await routingOf(account);
  try {
    return await use(routing);
  } finally {
    await routing.close();
  }
}

/** An address that ends with a slash, as an origin does, is a voicebot's; any other is the webhook itself. */
function urlsAt(url: string, kind: TransportKind): RouteUrls {
  const { origin, pathname } = new URL(url);
  if (!pathname.endsWith('/')) return { answerUrl: url, hangupUrl: url };
  const { answerUrl, hangupUrl, dialinUrl } = new WebhookAddresses(origin + pathname.slice(0, -1));
  return kind === 'carrier' ? { answerUrl, hangupUrl } : { answerUrl: dialinUrl, hangupUrl: dialinUrl };
}

/** What a provider may be told to call; plain `http:` only on this machine. */
function webhookBase(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url && isSafe && !url.username && !url.password && !url.hash) return url.href;
  throw new Error('must be an https address, such as https://bot.example.com');
}

const isLoopbackUrl = (url: string) => isLoopbackHost(new URL(url).hostname);

export interface ConfigureOptions {
  transport?: TransportKind;
  carrier?: CarrierName;
  url?: string;
  port?: string;
  dryRun?: boolean;
  reset?: boolean;
  take?: boolean;
  yes?: boolean;
  json?: boolean;
}
