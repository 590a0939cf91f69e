import { roomConformance } from '../../../../src/lab/kit/conformance/room-conformance.js';
import { daily } from '../../../../src/providers/daily/provider.js';
import type { RoomProvider, RoomsRestClient } from '../../../../src/providers/rooms/room-provider.js';
import { ourRooms } from './our-rooms.js';

const { keyVariable: _, ...provider } = daily;

/** A client of which one method is another. */
const clientThat = (change: (client: RoomsRestClient) => Partial<RoomsRestClient>): Partial<RoomProvider> => ({
  async createRestClient(credentials) {
    const client = await daily.createRestClient(credentials);
    return Object.assign(client, change(client));
  },
});

/** A mistake, and the stories that notice it: they begin so. Those on the sandbox are in the slow tests. */
const MISTAKES: ReadonlyArray<readonly [mistake: string, change: Partial<RoomProvider>, noticedBy: readonly string[]]> =
  [
    ['makes none', {}, []],
    [
      'accepts every webhook',
      { verifyWebhook: () => true },
      ['a webhook without', 'a webhook with the signature of another', 'a webhook that was changed'],
    ],
    ['accepts no webhook', { verifyWebhook: () => false }, ['a genuine webhook', 'a trial webhook']],
    [
      'accepts old webhooks',
      { verifyWebhook: (request, secret) => daily.verifyWebhook(request, secret, Date.now()) },
      ['a webhook that was changed on its way, or is old'],
    ],
    [
      'knows no call',
      { parseWebhook: () => ({ kind: 'test' }) },
      ['the webhook of a held caller', 'a webhook that says'],
    ],
    [
      'takes every webhook for a call',
      {
        parseWebhook: (body) => {
          const told = daily.parseWebhook(body);
          const nobody = {
            providerCallId: '' as never,
            callDomain: '',
            from: undefined,
            to: '',
            sipHeaders: undefined,
          };
          return told.kind === 'call' ? told : { kind: 'call', ...nobody };
        },
      },
      ['a trial webhook', 'a webhook that says nothing'],
    ],
    ['asks for any name', clientThat(() => ({ isOccupied: async () => false })), ['nothing is asked for a name']],
    [
      'shows its key',
      clientThat(() => ({ stopDialout: async () => Promise.reject(new Error(ourRooms().fixtures.apiKey)) })),
      ['a key that the provider refuses', 'a request that the provider refuses'],
    ],
    [
      'needs no key',
      { createRestClient: () => daily.createRestClient({ apiKey: 'any', apiUrl: 'http://127.0.0.1:9' }) },
      ['no client is made'],
    ],
  ];

test.each(MISTAKES)(
  'a room provider that %s is noticed by the stories that are about that',
  async (_, change, noticedBy) => {
    const { room: _room, ...fixtures } = ourRooms().fixtures; // its client is tried in the slow tests
    const plays: Array<readonly [string, () => Promise<void>]> = [];
    const count = roomConformance({
      extension: { providerContract: 1, rooms: { ...provider, name: 'broken', ...change } },
      fixtures,
      test: (title, play) => plays.push([title, play]),
    });
    expect(plays).toHaveLength(count);
    const failed: string[] = [];
    for (const [title, play] of plays.filter(([told]) => !told.includes('unreachable')))
      await play().catch(() => failed.push(title.replace('broken: ', '')));
    for (const beginning of noticedBy) expect(failed.join('\n')).toMatch(new RegExp(`^${beginning}`, 'm'));
    if (noticedBy.length === 0) expect(failed).toEqual([]);
  },
);

test('an extension without a room provider has no stories of one', () => {
  const { fixtures } = ourRooms();
  const told = () => roomConformance({ extension: { providerContract: 1 }, fixtures, test: () => {} });
  expect(told).toThrow(expect.objectContaining({ code: 'VB_CONFIG_INVALID' }));
});
