import { cleanText } from '../base/clean-text.js';
import type { NumberRoute } from '../call/number-routing.js';

/** In characters. */
const MAX_WORDS = 300;

/** Who answers a number, for people: `https://… (application front-desk)`, or what has no address: `SIP trunk TK…`. */
export function whoAnswers({ webhookUrl, heldBy }: Pick<NumberRoute, 'webhookUrl' | 'heldBy'>): string {
  if (webhookUrl === undefined) return cleanText(heldBy ?? 'no server', MAX_WORDS);
  const who = withoutPassword(webhookUrl);
  return cleanText(heldBy === undefined ? who : `${who} (${heldBy})`, MAX_WORDS);
}

/** Whether a caller is answered, by us or others: an address, or what has none that shows, such as a SIP trunk. */
export const isAnswered = ({ webhookUrl, heldBy, isUnanswered = false }: NumberRoute): boolean =>
  (webhookUrl ?? heldBy) !== undefined && !isUnanswered;

/** An address may carry the password that its server asks for. */
function withoutPassword(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url?.password) return address;
  url.password = '***';
  return url.href;
}
