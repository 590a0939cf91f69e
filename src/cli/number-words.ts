import type { NumberRoute } from '../call/number-routing.js';
import { plain } from './output.js';

/** Who answers a number, for people: `https://… (application front-desk)`. */
export function whoAnswers({ webhookUrl, heldBy }: Pick<NumberRoute, 'webhookUrl' | 'heldBy'>): string {
  const who = webhookUrl === undefined ? 'nobody' : withoutPassword(webhookUrl);
  return plain(heldBy === undefined ? who : `${who} (${heldBy})`);
}

/** An address may carry the password that its server asks for. */
function withoutPassword(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url?.password) return address;
  url.password = '***';
  return url.href;
}
