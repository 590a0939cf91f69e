import type { NumberRoute } from '../../call/number-routing.js';
import { type Account, routingOf } from '../account.js';
import { chooseNumber } from '../bot-number.js';
import { whoAnswers } from '../number-words.js';
import { PROVIDER_WORDS } from '../transports.js';
import type { Findings } from './findings.js';

/** How far our clock may be from the provider's: webhooks are good for five minutes, in milliseconds. */
const SKEW_WARNING_MS = 30_000;
const SKEW_FAILURE_MS = 240_000;
const ASK_LIMIT_MS = 5_000;

/** Credentials, number and clock of one account. Reads only. */
export async function checkAccount(findings: Findings, account: Account): Promise<void> {
  const { name, credentials } = PROVIDER_WORDS[account.kind];
  const routing = await routingOf(account);
  try {
    const routes = await routing.list();
    findings.ok('credentials', `the ${name} takes ${credentials} (${routes.length} numbers on the account)`);
    await checkNumber(findings, account, routes);
  } catch (error) {
    findings.fail('credentials', error);
  } finally {
    await routing.close();
  }
  if (account.kind === 'rooms') {
    findings.warn(
      'dial-out',
      'the room provider shows only at the first call whether the account may dial out',
      "Should it refuse, ask the provider's support to enable dial-out",
    );
  } else findings.ok('dial-out', 'the carrier needs no permission beyond the countries set in its console');
  await checkClock(findings, account.credentials.apiUrl);
}

async function checkNumber(findings: Findings, account: Account, routes: readonly NumberRoute[]): Promise<void> {
  try {
    const number = await chooseNumber({ list: async () => routes }, account.phoneNumber, account.kind);
    const route = routes.find((one) => one.number === number);
    if (!route) return;
    if (route.isOurs) {
      findings.warn('number', `${number} points at a run of voicebot: ${whoAnswers(route)}`, RESTORE);
    } else findings.ok('number', `${number}, answered by ${whoAnswers(route)}`);
  } catch (error) {
    findings.fail('number', error);
  }
}

const RESTORE = 'If nothing runs there any more, give it back: npx voicebot restore';

async function checkClock(findings: Findings, apiUrl: string): Promise<void> {
  try {
    const askedAt = Date.now();
    const { headers } = await fetch(apiUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(ASK_LIMIT_MS),
    });
    const theirs = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(theirs)) return findings.ok('clock', 'the provider does not show its own');
    const skewMs = Math.round((askedAt + Date.now()) / 2 - theirs);
    const text = `${Math.abs(skewMs / 1_000).toFixed(0)} s ${skewMs < 0 ? 'behind' : 'ahead of'} the provider's`;
    if (Math.abs(skewMs) < SKEW_WARNING_MS) findings.ok('clock', text);
    else findings.warn('clock', text, SKEW_FIX[Math.abs(skewMs) < SKEW_FAILURE_MS ? 'soon' : 'now']);
  } catch {
    findings.warn('clock', "the provider's could not be read", 'See whether this machine reaches the internet');
  }
}

const SKEW_FIX = {
  soon: 'Set the clock of this machine: webhooks are refused when it is wrong by five minutes',
  now: 'Set the clock of this machine now: webhooks are refused',
} as const;
