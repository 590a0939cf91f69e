import { cleanText } from '../base/clean-text.js';
import type { NumberRoute } from '../call/number-routing.js';

/** In characters. */
const MAX_WORDS = 300;

/** Who answers a number, for people: `https://… (application front-desk)`. */
export function whoAnswers({ webhookUrl, heldBy }: Pick<NumberRoute, 'webhookUrl' | 'heldBy'>): string {
  const who = webhookUrl === undefined ? 'no server' : withoutPassword(webhookUrl);
  return cleanText(heldBy === undefined ? who : `${who} (${heldBy})`, MAX_WORDS);
}

/** An address may carry the password that its server asks for. */
function withoutPassword(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url?.password) return address;
  url.password = '***';
  return url.href;
}
