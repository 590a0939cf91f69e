import { createTelnyxNumberRouting } from '../../../src/providers/telnyx/numbers.js';
import { newAccount } from '../../../src/sandbox/new-account.js';
import { startFastSandbox } from '../../sandbox/fake-caller.js';
import type { RoutedAccount, RoutedCarrier, RoutingCase } from '../broken-off-routing.js';
import { routingTools } from '../routed-number.js';
import { vendorAt } from './vendor-client.js';

const FIRST = '+12025550100';
const BARE = '+12025550119';
const ON_SIP = '+12025550118';
const SHARED = ['+12025550111', '+12025550112'] as const;
/** A connection of another kind, which the sandbox's account has from the start. */
const SIP_CONNECTION_ID = '2293384261075700001';
const account = newAccount('telnyx');

/** An account that is in use: the first number has an application, two share one with all addresses set, one is on a SIP connection. */
async function startAccount(): Promise<RoutedAccount> {
  const sandbox = await startFastSandbox({ carrier: 'telnyx', ...account, answerUrl: 'http://127.0.0.1:1/front-desk' });
  const vendor = vendorAt(sandbox.apiUrl, account.authToken);
  const { data: shared } = await vendor.texmlApplications.create({
    friendly_name: 'shared',
    voice_url: 'http://127.0.0.1:1/shared?line=1&x=%20',
    voice_method: 'get',
    voice_fallback_url: 'http://127.0.0.1:1/shared-fallback',
    status_callback: 'http://127.0.0.1:1/shared-status',
    status_callback_method: 'get',
  });
  const numbers = async () => (await vendor.phoneNumbers.list({ 'page[size]': 250 })).data;
  const attach = async (number: string, connection_id: string) => {
    const id = (await numbers()).find((one) => one.phone_number === number)?.id ?? '';
    await vendor.phoneNumbers.update(id, { connection_id });
  };
  for (const number of SHARED) await attach(number, shared?.id ?? '');
  await attach(ON_SIP, SIP_CONNECTION_ID);
  const plain = (objects: readonly object[]) => objects.map((one) => ({ ...one, updated_at: undefined }));
  return {
    apiUrl: sandbox.apiUrl,
    /** All numbers and applications, but for when they were changed. */
    dump: async () => {
      const { data: applications } = await vendor.texmlApplications.list({ 'page[size]': 250 });
      return JSON.stringify([plain(await numbers()), plain(applications)], undefined, 1);
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

/** Every kind of number that can be changed. */
export const CASES: RoutingCase[] = [
  ['a number with an application of its own', FIRST],
  ['one of two numbers that share an application', SHARED[1]],
  ['a number without an application', BARE],
  ['a number on a connection of another kind', ON_SIP],
];

export const telnyxRouting: RoutedCarrier = {
  tools: routingTools((apiUrl) =>
    createTelnyxNumberRouting({ ...account, apiUrl }, { repeats: { firstWaitMs: 1 }, timeoutMs: 5_000 }),
  ),
  startAccount,
  // Create, attach, change; attach to what it had, delete ours.
  writesOf: () => ({ apply: 3, undo: 2 }),
};
