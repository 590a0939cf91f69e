import { createPlivoNumberRouting } from '../../../src/providers/plivo/numbers.js';
import { AUTH_ID, AUTH_TOKEN, startFastSandbox } from '../../sandbox/fake-caller.js';
import { restClient } from '../../sandbox/rest.js';
import type { RoutedCarrier, RoutingCase } from '../broken-off-routing.js';
import { LEASE_ID, routingTools } from '../routed-number.js';

export const FORMER_URL = 'http://127.0.0.1:1/front-desk';
export const FIRST = '+12025550100';
export const BARE = '+12025550119';
export const ON_TRUNK = '+12025550118';
export const TRUNK_ID = '20255502000000001';
export const SHARED = ['+12025550111', '+12025550112', '+12025550113'] as const;
export const tools = routingTools((apiUrl) =>
  createPlivoNumberRouting(
    { authId: AUTH_ID, authToken: AUTH_TOKEN, apiUrl },
    { repeats: { firstWaitMs: 1 }, timeoutMs: 5_000 },
  ),
);
export const { withRouting, plan, apply, verify, undo } = tools;

/**
 * An account that is in use: the first number has the application `sandbox`, three share one with all addresses set and
 * methods mixed, one is on a trunk, and the others have nothing. One application has a name that begins as ours do.
 */
export async function startAccount() {
  const sandbox = await startFastSandbox({ answerUrl: FORMER_URL });
  const rest = restClient(sandbox.apiUrl);
  const settings = {
    app_name: 'shared',
    answer_url: 'http://127.0.0.1:1/shared?line=1&x=%20',
    answer_method: 'GET',
    hangup_url: 'http://127.0.0.1:1/shared-hangup',
    fallback_answer_url: 'http://127.0.0.1:1/shared-fallback',
    fallback_method: 'GET',
    message_url: 'http://127.0.0.1:1/messages',
  };
  const { app_id: sharedId } = (await rest.post('Application/', settings)).body;
  for (const number of SHARED) await rest.post(`Number/${number.slice(1)}/`, { app_id: sharedId });
  await rest.post(`Number/${ON_TRUNK.slice(1)}/`, { app_id: TRUNK_ID });
  await rest.post('Application/', { app_name: `voicebot-12025550100-${LEASE_ID}-not`, answer_url: FORMER_URL });
  const applications = async () => (await rest.get('Application/')).body.objects;
  return {
    apiUrl: sandbox.apiUrl,
    sandbox,
    rest,
    sharedId: sharedId as string,
    applications,
    /** All numbers and applications, as they come. */
    async dump(): Promise<string> {
      return JSON.stringify([(await rest.get('Number/')).body.objects, await applications()], undefined, 1);
    },
    linkOf: async (number: string) => (await rest.get(`Number/${number.slice(1)}/`)).body.application as string,
    ours: async () =>
      (await applications()).filter(({ app_name: name }: { app_name: string }) => /^voicebot-\d+-[a-z\d]+$/.test(name)),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

/** Every kind of number that can be changed. */
export const CASES: RoutingCase[] = [
  ['a number with an application of its own', FIRST],
  ['one of three numbers that share an application', SHARED[1]],
  ['a number without an application', BARE],
  ['a number on a trunk', ON_TRUNK],
];

export const plivoRouting: RoutedCarrier = {
  tools,
  startAccount,
  // Create, attach, change; attach to what it had, delete ours.
  writesOf: (number) => ({ apply: 3, undo: number === BARE ? 1 : 2 }),
};
