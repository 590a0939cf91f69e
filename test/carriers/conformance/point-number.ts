import type { RouteUrls } from '../../../src/call/number-routing.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import type { PlayedCarrier } from './carriers.js';

/** Points the first number of a sandbox at a runner, as `voicebot run --dialin` does it. */
export async function pointNumber(
  { carrier, credentials }: PlayedCarrier,
  { number, apiUrl }: Pick<Sandbox, 'number' | 'apiUrl'>,
  { answerUrl, hangupUrl }: RouteUrls,
): Promise<void> {
  const routing = await carrier.createNumberRouting(credentials(apiUrl));
  try {
    const { change } = await routing.plan({
      number,
      leaseId: 'conformance',
      urls: { answerUrl, hangupUrl },
      isOldAddress: () => false,
    });
    await routing.apply(change);
    expect(await routing.verify(change)).toBeUndefined();
  } finally {
    await routing.close();
  }
}
