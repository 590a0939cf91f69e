import { type Account, routingOf } from '../../assembly/account.js';
import { chooseNumber } from '../../assembly/choose-number.js';
import { credentialsSet } from '../../assembly/credential-names.js';
import { whoAnswers } from '../../assembly/number-text.js';
import { PROVIDER_WORDS } from '../../assembly/transports.js';
import { timeLimit } from '../../base/async/time-limit.js';
import { VoicebotError } from '../../base/errors.js';
import type { NumberRoute } from '../../call/number-routing.js';
import type { Config } from '../../config/config.js';
import { isLiveAddress } from '../../runner/numbers/lease-liveness.js';
import type { Findings } from './findings.js';

/** How far our clock may be from the provider's, in milliseconds. */
const SKEW_WARNING_MS = 30_000;
/** Webhooks of the room provider are refused beyond this. */
const SKEW_FAILURE_MS = 300_000;
const ASK_LIMIT_MS = 5_000;

/**
 * Credentials, number and clock of one account. Reads only.
 * @returns whether the provider takes the credentials
 * @throws what `signal` was aborted with
 */
export async function checkAccount(
  findings: Findings,
  config: Config,
  account: Account,
  signal: AbortSignal,
): Promise<boolean> {
  const { name } = PROVIDER_WORDS[account.kind];
  const credentials = credentialsSet(account.kind, config);
  const routing = await routingOf(account);
  let isTaken = false;
  try {
    const routes = await routing.list(signal);
    isTaken = true;
    findings.ok('credentials', `the ${name} takes ${credentials} (${routes.length} numbers on the account)`);
    await checkNumber(findings, account, routes, signal);
  } catch (error) {
    signal.throwIfAborted();
    findings.fail('credentials', error);
  } finally {
    await routing.close();
  }
  if (account.kind === 'carrier') {
    findings.ok('dial-out', 'the carrier needs no permission beyond the countries set in its console');
  }
  await checkClock(findings, account, signal);
  return isTaken;
}

async function checkNumber(
  findings: Findings,
  account: Account,
  routes: readonly NumberRoute[],
  signal: AbortSignal,
): Promise<void> {
  try {
    const route = await chooseNumber({ list: async () => routes }, account);
    const { number } = route;
    // Only our own address may be asked: a stranger's server would take it for a call.
    const { webhookUrl } = route;
    const isDead = route.isOurs && webhookUrl !== undefined && !(await isLiveAddress(webhookUrl, signal));
    const text = `${number}, answered by ${whoAnswers(route)}`;
    if (isDead) findings.warn('number', `${text}, a voicebot that does not answer`, restoreHint(number));
    else findings.ok('number', text);
  } catch (error) {
    signal.throwIfAborted();
    findings.fail('number', error);
  }
}

const restoreHint = (number: string) =>
  `Start it, or give the number back: npx voicebot restore, or npx voicebot configure-number ${number} --reset`;

async function checkClock(findings: Findings, { kind, credentials }: Account, signal: AbortSignal): Promise<void> {
  try {
    const askedAt = Date.now();
    const { headers } = await fetch(credentials.apiUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeLimit(ASK_LIMIT_MS)]),
    });
    const theirs = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(theirs)) return findings.ok('clock', 'the provider does not show its own');
    const skewMs = Math.round((askedAt + Date.now()) / 2 - theirs);
    const seconds = Math.round(Math.abs(skewMs) / 1_000);
    const text =
      seconds === 0
        ? "the same as the provider's"
        : `${seconds} s ${skewMs < 0 ? 'behind' : 'ahead of'} the provider's`;
    if (Math.abs(skewMs) < SKEW_WARNING_MS) findings.ok('clock', text);
    else if (kind === 'rooms' && Math.abs(skewMs) > SKEW_FAILURE_MS) {
      const error = new VoicebotError(
        'VB_CONFIG_INVALID',
        `this machine's clock is ${text}, so every webhook is refused`,
      );
      findings.fail('clock', error, 'Set the clock of this machine, for example by switching on network time');
    } else findings.warn('clock', text, SKEW_FIX[kind]);
  } catch {
    signal.throwIfAborted();
    findings.warn('clock', "the provider's could not be read", 'See whether this machine reaches the internet');
  }
}

const SKEW_FIX = {
  rooms: 'Set the clock of this machine: webhooks are refused when it is wrong by five minutes',
  carrier: 'Set the clock of this machine: its log does not fit the one in the console',
} as const;
