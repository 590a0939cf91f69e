import type { Account } from '../../assembly/account.js';
import { providerOf } from '../../assembly/account.js';
import { packageVersion } from '../../base/package-version.js';
import { clientFor } from '../../bot/transports/room/join-room.js';
import type { Config } from '../../config/config.js';
import { type Certificate, extentOf, isCertified } from '../../lab/certify/certificate.js';
import { type Guess, type GuessedUse, guessesOf } from '../../providers/guesses.js';
import type { BotUses } from '../../runner/bots/bot-uses.js';
import { keptCertificate } from '../certify/kept-certificate.js';
import type { Findings } from './findings.js';

/** How many guesses are told in words. */
const TOLD = 3;
const CERTIFY = 'npx voicebot certify';

/**
 * What calls of this account rest on although no source says it, and what a tour of the account has settled of that.
 * @param uses of the bot; undefined when it could not be loaded
 * @param home the state directory
 */
export function checkGuesses(
  findings: Findings,
  config: Config,
  account: Account,
  uses: BotUses | undefined,
  home: string,
): void {
  const certificate = keptCertificate(home, account);
  const guesses = guessesOf(useOf(config, account, uses));
  const isOpen = (guess: Guess) => !certificate || !settles(certificate, guess);
  const open = guesses.filter(isOpen);
  if (certificate) tellCertificate(findings, certificate, guesses.length - open.length);
  const details = guesses.map((guess) => {
    const { name, section, assumes, otherwise, settledBy } = guess;
    return { name, section, assumes, otherwise, settledBy, isSettled: !isOpen(guess) };
  });
  findings.ok('guesses', [head(providerOf(account), open), ...told(open)].join('\n'), { guesses: details });
}

function useOf(config: Config, account: Account, uses: BotUses | undefined): GuessedUse {
  return {
    provider: providerOf(account),
    transport: account.kind,
    transfers: config.operatorNumber !== undefined || uses?.operator === true,
    joinsByBrowser:
      account.kind === 'rooms' &&
      clientFor(account.roomProvider, account.credentials.apiUrl, config.roomsClient) === 'browser',
    transcribes: uses?.transcription !== undefined,
  };
}

/** Whether a tour has shown that a guess is true: its steps were played, and nothing that matters was different in them. */
function settles({ steps, differences }: Certificate, guess: Guess): boolean {
  const isShown = (name: string) =>
    steps.some((step) => step.name === name && step.state === 'done') &&
    !differences.some(({ step, matters }) => step === name && matters);
  return isSettleable(guess) && guess.settledBy.every(isShown);
}

const isSettleable = ({ settledBy }: Guess) => settledBy.length > 0;

function head(provider: string, open: readonly Guess[]): string {
  if (open.length === 0) return `calls at ${provider} rest on nothing that is only guessed`;
  const many = open.filter(isSettleable).length;
  const rest = many === 0 ? 'which no tour settles' : `of which ${CERTIFY} settles ${many}`;
  return `calls at ${provider} rest on ${count(open.length)} about it, ${rest}`;
}

/** First those that something can be done about. */
function told(open: readonly Guess[]): string[] {
  const inOrder = open.toSorted((one, other) => Number(isSettleable(other)) - Number(isSettleable(one)));
  const lines = inOrder.slice(0, TOLD).map(({ assumes }) => assumes);
  const more = open.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more: all are listed by: npx voicebot doctor --json`] : lines;
}

function tellCertificate(findings: Findings, certificate: Certificate, settled: number): void {
  const { provider, day, voicebot, steps, differences } = certificate;
  const { done, all, notPlayed } = extentOf(certificate);
  const left = notPlayed.length > 0 ? `; left out: ${notPlayed.join(', ')}` : '';
  const far = `${done} of ${all} steps, which settle ${count(settled)}${left}`;
  const when = `on ${day.slice(0, 10)}, with voicebot ${voicebot}: ${far}`;
  if (!isCertified(certificate)) {
    const matter = differences.filter(({ matters }) => matters).length;
    const failed = steps.filter(({ state }) => state === 'failed').map(({ name }) => name);
    const why =
      failed.length > 0
        ? `${failed.join(', ')} failed`
        : matter === 1
          ? 'one difference matters'
          : `${matter} differences matter`;
    const fix = `See differences.md in the folder of that tour; once it is mended: ${CERTIFY}`;
    findings.warn('certified', `${provider} is not certified for this account, ${when}; ${why}`, fix);
  } else if (voicebot !== packageVersion()) {
    const text = `${provider}, ${when}. This is voicebot ${packageVersion()}`;
    findings.warn('certified', text, `Certify it again: ${CERTIFY}`);
  } else findings.ok('certified', `${provider}, ${left && 'as far as the tour went, '}${when}`);
}

const count = (many: number) => (many === 1 ? 'one guess' : `${many} guesses`);
