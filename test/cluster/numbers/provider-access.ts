import type { NumberRouting, RouteUrls } from '../../../src/call/number-routing.js';
import { daily } from '../../../src/providers/daily/provider.js';
import { carrierByName } from '../../../src/providers/registry/carriers.js';

/** At the room provider it has an entry of its own; a carrier's first number has an application or addresses. */
export const NUMBER = '+12025550100';

export const secretOf = (name: string) => Buffer.from(`the secret of ${name}`).toString('base64');

export function routingAt(name: string, credentials: Record<string, unknown>): Promise<NumberRouting> {
  return name === daily.name
    ? daily.createNumberRouting(credentials as never)
    : carrierByName(name).createNumberRouting(credentials as never);
}

/** The addresses of a runner, or of a cluster. */
export function urlsOf(name: string, host: string): RouteUrls {
  const origin = `http://${host}.localhost:9`;
  const dialinUrl = `${origin}/rooms-dialin-webhook`;
  return name === daily.name
    ? { answerUrl: dialinUrl, hangupUrl: dialinUrl }
    : { answerUrl: `${origin}/answer`, hangupUrl: `${origin}/hangup` };
}

/** What signs the webhooks of a cluster; undefined at carriers. */
export const secretAt = (name: string): string | undefined =>
  name === daily.name ? secretOf('the runners') : undefined;
