import { randomBytes } from 'node:crypto';
import type { NumberRoute, RouteUrls } from '../call/number-routing.js';
import { type Account, routingOf } from './account.js';

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
      leaseId: randomBytes(8).toString('hex'),
      secret: account.kind === 'rooms' ? secret : undefined,
      isInPlace: (await routing.list()).find((one) => one.number === number)?.heldBy !== undefined,
      isOldAddress: () => true,
    });
    await routing.apply(change);
    return route;
  } finally {
    await routing.close();
  }
}
