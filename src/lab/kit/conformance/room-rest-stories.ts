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
  const refusal = (answer: GivenAnswer, code: string, asked: Requests = requests) =>
    closing(AnsweringApi.listen(answer), ({ url }) =>
      withClient(url, async (client) => {
        for (const [what, ask] of Object.entries(asked(client))) {
          const failed: Error = await ask().then(
            () => assert.fail(`${what} threw nothing`),
            (error: Error) => error,
          );
          assert.equal(Object(failed).code, code, `${what}: ${failed.message}`);
          assert.ok(!failed.message.includes(apiKey), `the message of ${what} shows the key`);
        }
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
      async play() {
        await refusal({ status: 302, body: '<html>sign in</html>' }, 'VB_ROOMS_REQUEST_FAILED');
        // What only has to be done has no answer to read.
        await refusal({ status: 200, body: '<html>sign in</html>' }, 'VB_ROOMS_REQUEST_FAILED', readers);
      },
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

type Requests = (client: RoomsRestClient) => Readonly<Record<string, () => Promise<unknown>>>;

/** Requests whose answer is read. */
const readers: Requests = (client) => ({
  isOccupied: () => client.isOccupied('room'),
  sipEndpoints: () => client.sipEndpoints('room'),
  createToken: () => client.createToken({ roomName: 'room', isOwner: true, expiresAt: 4_000_000_000 }),
  createRoom: () =>
    client.createRoom({ name: 'room', expiresAt: 4_000_000_000, allowsDialout: false, idleSeconds: 60 }),
  dialinSecrets: () => client.dialinSecrets(),
});

const requests: Requests = (client) => ({
  ...readers(client),
  deleteRoom: () => client.deleteRoom('room'),
  stopDialout: () => client.stopDialout('room', 'session'),
});
