import assert from 'node:assert/strict';
import type { RoomsRestClient } from '../../../providers/rooms/room-provider.js';
import { AnsweringApi, type GivenAnswer } from './answering-api.js';
import { type ConformanceStory, closing } from './carrier-fixtures.js';
import type { TriedRooms } from './room-fixtures.js';

/** What is asked of a client of a room provider's REST API. */
export function roomRestStories({ extension: { rooms }, fixtures: { apiKey } }: TriedRooms): ConformanceStory[] {
  const withClient = async (apiUrl: string, use: (client: RoomsRestClient) => Promise<unknown>) => {
    const client = await rooms.createRestClient({ apiKey, apiUrl });
    await use(client).finally(() => client.close());
  };
  const refusal = (answer: GivenAnswer, code: string) =>
    closing(AnsweringApi.listen(answer), ({ url }) =>
      withClient(url, async (client) => {
        const failed: Error = await client.stopDialout('room', 'session').then(
          () => assert.fail('nothing was thrown'),
          (error: Error) => error,
        );
        assert.equal(Object(failed).code, code, failed.message);
        assert.ok(!failed.message.includes(apiKey), 'the message shows the key');
      }),
    );
  return [
    {
      title: 'a key that the provider refuses is told as refused',
      play: () => refusal({ status: 401 }, 'VB_CREDENTIALS_REFUSED'),
    },
    {
      title: 'a request that the provider refuses is told as that, without the key that its answer repeats',
      play: () => refusal({ status: 400, body: JSON.stringify({ error: `no: ${apiKey}` }) }, 'VB_ROOMS_REQUEST_FAILED'),
    },
    {
      title: 'a page of something else is not taken for the provider',
      play: () => refusal({ status: 302, body: '<html>sign in</html>' }, 'VB_ROOMS_REQUEST_FAILED'),
    },
    {
      title: 'a provider that does not answer is told as unreachable',
      play: () =>
        withClient('http://127.0.0.1:1/v1', (client) =>
          assert.rejects(client.stopDialout('room', 'session'), { code: 'VB_ROOMS_UNREACHABLE' }),
        ),
    },
    {
      title: 'nothing is asked for a name that could change an address',
      play: () =>
        closing(AnsweringApi.listen({ status: 200 }), async (api) => {
          await withClient(api.url, async (client) => {
            for (const name of ['', '../x', 'a/b', 'a?b']) {
              const asked = [
                () => client.createRoom({ name, expiresAt: 4_000_000_000, allowsDialout: false, idleSeconds: 60 }),
                () => client.createToken({ roomName: name, isOwner: true, expiresAt: 4_000_000_000 }),
                () => client.deleteRoom(name),
                () => client.isOccupied(name),
                () => client.stopDialout(name, 'session'),
                () => client.eject(name, 'user'),
                () => client.sipEndpoints(name),
              ];
              for (const ask of asked) await assert.rejects(async () => ask(), { code: 'VB_IDENTIFIER_INVALID' });
            }
          });
          assert.deepEqual(api.requests, []);
        }),
    },
    {
      title: 'no client is made without a key',
      play: () =>
        assert.rejects(async () => rooms.createRestClient({ apiKey: '', apiUrl: 'http://127.0.0.1:9' }), {
          code: 'VB_CREDENTIALS_MISSING',
        }),
    },
  ];
}
