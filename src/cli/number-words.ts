import type { NumberRoute } from '../call/number-routing.js';

/** Who answers a number, for people: `https://… (application front-desk)`. */
export function whoAnswers({ webhookUrl, heldBy }: Pick<NumberRoute, 'webhookUrl' | 'heldBy'>): string {
  if (webhookUrl === undefined) return heldBy === undefined ? 'nobody' : `nobody (${heldBy})`;
  return heldBy === undefined ? webhookUrl : `${webhookUrl} (${heldBy})`;
}
