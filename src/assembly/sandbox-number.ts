import type { NumberRoute, RouteUrls } from '../call/number-routing.js';
import { type Account, routingOf } from './account.js';

/** The same each time, so that a number that is pointed elsewhere keeps its application. */
const LEASE_ID = 'ofsandbox';

/**
 * Points a number of the sandbox at `urls`. Its account ends with its process, so nothing is written down to be given back.
 * @param secret signs the room provider's webhooks, base64
 * @returns how the number was before
 */
export async function pointSandboxNumber(
  account: Account,
  number: string,
  urls: RouteUrls,
  secret: string | undefined,
): Promise<NumberRoute> {
  const routing = await routingOf(account);
  try {
    const { change, route } = await routing.plan({
      number,
      urls,
      leaseId: LEASE_ID,
      secret: account.kind === 'rooms' ? secret : undefined,
      isOldAddress: () => true,
    });
    await routing.apply(change);
    return route;
  } finally {
    await routing.close();
  }
}
