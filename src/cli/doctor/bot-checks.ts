import { operatorOf } from '../../assembly/create-runner.js';
import { VoicebotError } from '../../base/errors.js';
import { askForKey } from '../../bot/services/key-check.js';
import { VENDORS, type VendorName } from '../../bot/services/vendor.js';
import type { Config } from '../../config/config.js';
import type { BotUses } from '../../runner/bots/bot-uses.js';
import { NO_EARS, NO_OPERATOR } from '../../runner/bots/needs-check.js';
import type { Findings } from './findings.js';

export interface BotSubject {
  uses: BotUses;
  config: Config;
  /** Whether it is to serve a real account. */
  hasAccount: boolean;
  transport: 'carrier' | 'rooms';
  signal: AbortSignal;
}

const WHOLE_ANSWERS =
  'the speech model gives whole answers: it is asked sentence by sentence, and each is heard when all of it has come';

/** What the bot's code needs beside an account: keys that their providers take, and an operator to transfer callers to. */
export async function checkNeeds(findings: Findings, subject: BotSubject): Promise<void> {
  const { uses, config, hasAccount, transport } = subject;
  await checkKeys(findings, subject);
  if (uses.wholeAnswerVoice) findings.ok('voice', WHOLE_ANSWERS);
  if (uses.transcription === 'ears' && transport === 'carrier') findings.warn('ears', NO_EARS.message, NO_EARS.fix);
  if (!hasAccount || !uses.operator) return;
  const operator = operatorOf(config, false);
  if (operator) findings.ok('operator', `${operator}, whom the bot transfers callers to`);
  else findings.warn('operator', NO_OPERATOR.message, NO_OPERATOR.fix);
}

async function checkKeys(
  findings: Findings,
  { uses: { providers }, config: { environment }, signal }: BotSubject,
): Promise<void> {
  const isSet = (name: VendorName) => environment[VENDORS[name].keyVariable] !== undefined;
  const ask = (name: VendorName) => {
    const { keyVariable, urlVariable } = VENDORS[name];
    return askForKey(name, { apiKey: environment[keyVariable], baseUrl: environment[urlVariable] }, signal);
  };
  const set = providers.filter(isSet);
  const answers = await Promise.allSettled(set.map(ask));
  signal.throwIfAborted();
  for (const [index, answer] of answers.entries()) {
    const { name, keyVariable } = VENDORS[set[index] as VendorName];
    if (answer.status === 'rejected') tellFailure(findings, answer.reason);
    else if (answer.value === 'taken') findings.ok('keys', `${name} takes ${keyVariable}`);
    else findings.ok('keys', `${name} knows ${keyVariable}, which was made for some of its services only`);
  }
  for (const name of providers.filter((one) => !isSet(one))) {
    const { name: company, keyVariable, keysUrl } = VENDORS[name];
    findings.warn(
      'keys',
      `the bot uses ${company}, and ${keyVariable} is not set`,
      `Get one at ${keysUrl}, and put it into .env`,
    );
  }
}

/** A provider that does not say whether it takes the key may do so in the next call. */
function tellFailure(findings: Findings, error: unknown): void {
  const { code, message, hint } = VoicebotError.fieldsOf(error, 'VB_INTERNAL');
  if (code === 'VB_PROVIDER_FAILED') findings.warn('keys', message, hint ?? 'Try again in a moment');
  else findings.fail('keys', error);
}
