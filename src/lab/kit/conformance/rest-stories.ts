import assert from 'node:assert/strict';
import type { CarrierCredentials, CarrierRestClient, PlaceCallRequest } from '../../../providers/carrier.js';
import { startSandbox } from '../../../sandbox/sandbox.js';
import { AnsweringApi, type GivenAnswer } from './answering-api.js';
import { type ConformanceStory, closing, type Tried } from './carrier-fixtures.js';
import { CuttingProxy } from './cutting-proxy.js';

const BASE = 'http://127.0.0.1:9';

/** A call to a number of the sandbox that rings for long. */
export const placed = (to: string): PlaceCallRequest => ({
  to,
  from: '+12025550100',
  answerUrl: `${BASE}/answer`,
  ringUrl: `${BASE}/ring`,
  hangupUrl: `${BASE}/hangup`,
  machineUrl: `${BASE}/machine`,
  machineDetection: 'off',
  ringTimeoutS: 30,
  timeLimitS: 60,
});

/** What is asked of a client of the REST API. */
export function restStories({
  extension: { carrier },
  fixtures: { account, stream },
  sandbox,
}: Tried): ConformanceStory[] {
  const withClient = async (apiUrl: string, use: (client: CarrierRestClient) => Promise<unknown>) => {
    const client = await carrier.createRestClient({ ...account, apiUrl });
    await use(client).finally(() => client.close());
  };
  const refusal = (answer: GivenAnswer, code: string) =>
    closing(AnsweringApi.listen(answer), ({ url }) =>
      withClient(url, async (client) => {
        const failed: Error = await client.hangUp(stream.callId).then(
          () => assert.fail('nothing was thrown'),
          (error: Error) => error,
        );
        assert.equal(Object(failed).code, code, failed.message);
        assert.ok(!failed.message.includes(account.authToken), 'the message shows the token');
      }),
    );
  return [
    {
      title: 'credentials that the carrier refuses are told as refused',
      play: () => refusal({ status: 401 }, 'VB_CREDENTIALS_REFUSED'),
    },
    {
      title: 'a request that the carrier refuses is told as that, without the token that its answer repeats',
      play: () =>
        refusal(
          { status: 400, body: JSON.stringify({ error: `no: ${account.authToken}` }) },
          'VB_CARRIER_REQUEST_FAILED',
        ),
    },
    {
      title: 'a page of something else is not taken for the carrier',
      play: () => refusal({ status: 302, body: '<html>sign in</html>' }, 'VB_CARRIER_REQUEST_FAILED'),
    },
    {
      title: 'a carrier that does not answer is told as unreachable',
      play: () =>
        withClient('http://127.0.0.1:1/v1', (client) =>
          assert.rejects(client.hangUp(stream.callId), { code: 'VB_CARRIER_UNREACHABLE' }),
        ),
    },
    {
      title: 'nothing is asked for an identifier that could change an address',
      play: () =>
        closing(AnsweringApi.listen({ status: 200 }), async (api) => {
          await withClient(api.url, async (client) => {
            for (const id of ['', '../x', 'a/b', 'a?b']) {
              await assert.rejects(client.hangUp(id), { code: 'VB_IDENTIFIER_INVALID' });
              await assert.rejects(client.transfer(id, `${BASE}/x`), { code: 'VB_IDENTIFIER_INVALID' });
            }
          });
          assert.deepEqual(api.requests, []);
        }),
    },
    {
      title: 'no client is made without a token',
      play: () =>
        assert.rejects(async () => carrier.createRestClient({ ...account, authToken: '', apiUrl: BASE }), {
          code: 'VB_CREDENTIALS_MISSING',
        }),
    },
    ...(sandbox ? placingStories({ carrier, sandbox }) : []),
  ];
}

/** On the sandbox: what was placed can be counted there. */
function placingStories({
  carrier,
  sandbox,
}: {
  carrier: Tried['extension']['carrier'];
  sandbox: NonNullable<Tried['sandbox']>;
}): ConformanceStory[] {
  const to = '+12025550103'; // rings, and is not answered
  const withClient = async (credentials: CarrierCredentials, use: (client: CarrierRestClient) => Promise<void>) => {
    const client = await carrier.createRestClient(credentials);
    await use(client).finally(() => client.close());
  };
  const lost = (loss: 'request' | 'answer', count: number): ConformanceStory => ({
    title: `a call is placed once when the ${loss} of that request is lost`,
    play: () =>
      closing(placingStage(carrier.name, sandbox), ({ account, apiUrl, count: placedTo }) =>
        closing(CuttingProxy.listen(new URL(apiUrl).origin), async (proxy) => {
          proxy.cut({ at: 1, loss, isForGood: false });
          const through = `${proxy.url}${new URL(apiUrl).pathname}`;
          await withClient({ ...account, apiUrl: through }, async (client) => {
            await assert.rejects(client.placeCall(placed(to)), { code: 'VB_CALL_UNCERTAIN' });
            assert.equal(placedTo(to), count);
            assert.equal((await client.findCalls({ from: placed(to).from, to })).length, count);
          });
        }),
      ),
  });
  return [
    lost('answer', 1),
    lost('request', 0),
    {
      title: 'a call that was placed is found, and ended once',
      play: () =>
        closing(placingStage(carrier.name, sandbox), ({ account, apiUrl }) =>
          withClient({ ...account, apiUrl }, async (client) => {
            await client.placeCall(placed(to));
            const [id, ...others] = await client.findCalls({ from: placed(to).from, to });
            assert.ok(id !== undefined && carrier.isCallId(id) && others.length === 0, 'the call is not found');
            assert.equal(await client.hangUp(id), 'ended');
            assert.equal(await client.hangUp(id), 'already_ended');
            assert.equal(await client.transfer(id, `${BASE}/x`), 'no_such_call');
          }),
        ),
    },
  ];
}

async function placingStage(carrier: string, side: NonNullable<Tried['sandbox']>) {
  const { publicKey, ...account } = (await side()).newAccount();
  const sandbox = await startSandbox({ carrier, ...account, answerUrl: `${BASE}/answer` });
  return {
    account: { ...account, publicKey },
    apiUrl: sandbox.apiUrl,
    count: (number: string) => sandbox.placedCalls.get(number) ?? 0,
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}
