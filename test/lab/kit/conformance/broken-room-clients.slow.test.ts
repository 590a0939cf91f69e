import { roomConformance } from '../../../../src/lab/kit/conformance/room-conformance.js';
import { joinSandboxRoom } from '../../../../src/lab/kit/join-sandbox-room.js';
import { daily } from '../../../../src/providers/daily/provider.js';
import type { JoinRoom, RoomConnection } from '../../../../src/providers/rooms/room-connection.js';
import { ourRooms } from './our-rooms.js';

const { keyVariable: _, ...provider } = daily;

/** Joins as the built-in client does, with another way of doing something. */
const connectionThat =
  (change: (connection: RoomConnection) => Partial<RoomConnection>): JoinRoom =>
  async (options) => {
    const connection = await joinSandboxRoom(options);
    return Object.assign(connection, change(connection));
  };

/** A mistake of a client, and the stories that notice it: they begin so. */
const MISTAKES: ReadonlyArray<readonly [mistake: string, join: JoinRoom, noticedBy: readonly string[]]> = [
  ['makes none', joinSandboxRoom, []],
  ['says nothing', connectionThat(() => ({ say: () => {} })), ['two participants know']],
  [
    'keeps its frames',
    connectionThat((connection) => {
      const own = new Int16Array(320);
      const start = connection.start.bind(connection);
      return { start: (heard) => start(() => heard(own)) };
    }),
    ['two participants know', 'what is heard comes'],
  ],
  [
    'brings no silence',
    connectionThat((connection) => {
      const start = connection.start.bind(connection);
      return { start: (heard) => start((pcm) => pcm.some((sample) => sample !== 0) && heard(pcm)) };
    }),
    ['what is heard comes'],
  ],
  [
    'tells of no end',
    connectionThat((connection) => {
      const on = connection.on.bind(connection);
      const deaf: RoomConnection['on'] = (event, listener) => event !== 'left' && on(event, listener);
      return { on: deaf };
    }),
    ['leaving is told once'],
  ],
  [
    'shows its token',
    async (options) =>
      joinSandboxRoom(options).catch((error: Error) => {
        throw Object.assign(error, { message: `${error.message} ${options.token}` });
      }),
    ['a token that the room does not take'],
  ],
  ['does not give up', ({ signal: _signal, ...options }) => joinSandboxRoom(options), ['joining is given up']],
];

test.each(MISTAKES)(
  'a client of rooms that %s is noticed by the stories that are about that',
  async (_, join, noticedBy) => {
    const plays: Array<readonly [string, () => Promise<void>]> = [];
    roomConformance({
      extension: { providerContract: 1, rooms: { ...provider, name: 'broken', loadClient: async () => join } },
      fixtures: ourRooms().fixtures,
      test: (title, play) => plays.push([title.replace('broken: ', ''), play]),
    });
    const ofClient = /^(two participants|what is heard|leaving is told|a token that|joining is given up)/;
    const failed: string[] = [];
    for (const [title, play] of plays.filter(([told]) => ofClient.test(told)))
      await play().catch(() => failed.push(title));
    for (const beginning of noticedBy) expect(failed.join('\n')).toMatch(new RegExp(`^${beginning}`, 'm'));
    if (noticedBy.length === 0) expect(failed).toEqual([]);
  },
  120_000,
);
