import assert from 'node:assert/strict';
import { FRAME_MS } from '../../../base/audio/frame.js';
import { TestTone } from '../../../base/audio/test-tone.js';
import { joinRoomFor } from '../../../bot/transports/room/join-room.js';
import type { JoinOptions, RoomConnection } from '../../../providers/rooms/room-connection.js';
import type { ConformanceStory } from './carrier-fixtures.js';
import type { RoomForClients, TriedRooms } from './room-fixtures.js';
import { eventOf, inTime, ToneEar } from './room-stage.js';

const SAMPLE_RATE = 16_000;
const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1_000;
const JOIN_LIMIT_MS = 20_000;
/** In hertz. */
const [FIRST_TONE, SECOND_TONE] = [700, 1_100];

/** What is asked of the client that bots join rooms with. */
export function roomClientStories({ extension: { rooms }, fixtures: { room: open } }: TriedRooms): ConformanceStory[] {
  if (!open) return [];
  const staged = async (play: (room: RoomForClients, join: JoinAs) => Promise<void>): Promise<void> => {
    const room = await open();
    const joined: RoomConnection[] = [];
    const join: JoinAs = async (userName, more) => {
      const token = more?.token ?? (await room.token(userName));
      const joinRoom = rooms.loadClient ? await rooms.loadClient() : await joinRoomFor(rooms, room.roomUrl);
      const { roomUrl } = room;
      const options = { roomUrl, token, userName, sampleRate: SAMPLE_RATE, limitMs: JOIN_LIMIT_MS, ...more };
      const connection = await joinRoom(options);
      joined.push(connection);
      return connection;
    };
    try {
      await play(room, join);
    } finally {
      await Promise.allSettled(joined.map((one) => inTime(one.leave(), 'the room was not left')));
      await room.close();
    }
  };
  return [
    {
      title: 'two participants know of each other, hear each other, and one is told that the other has left',
      play: () =>
        staged(async (_room, join) => {
          const first = await join('first');
          const came = eventOf(first, 'participant_joined');
          const [firstEar, secondEar] = [new ToneEar(SECOND_TONE, SAMPLE_RATE), new ToneEar(FIRST_TONE, SAMPLE_RATE)];
          first.start((pcm) => firstEar.hear(pcm));
          const second = await join('second');
          second.start((pcm) => secondEar.hear(pcm));
          const { sessionId, kind, userId } = await came;
          assert.deepEqual([sessionId, kind, userId], [second.sessionId, 'web', 'second']);
          assert.ok(second.participants.has(first.sessionId), 'the second does not know of the first');
          const tones = [FIRST_TONE, SECOND_TONE].map((one) => new TestTone(one, SAMPLE_RATE).frame) as [
            Int16Array,
            Int16Array,
          ];
          const saying = setInterval(() => {
            first.say(tones[0]);
            second.say(tones[1]);
          }, FRAME_MS);
          await Promise.all([firstEar.heard, secondEar.heard]).finally(() => clearInterval(saying));
          const left = eventOf(first, 'participant_left');
          await second.leave();
          assert.equal((await left).sessionId, second.sessionId);
        }),
    },
    {
      title: 'what is heard comes in frames of 20 ms, in silence too',
      play: () =>
        staged(async (_room, join) => {
          const alone = await join('alone');
          const coming = new Promise<Int16Array[]>((resolve) => {
            const heard: Int16Array[] = [];
            alone.start((pcm) => heard.push(pcm) === 25 && resolve(heard));
          });
          const frames = await inTime(coming, '25 frames have not come');
          assert.ok(
            frames.every(({ length }) => length === FRAME_SAMPLES),
            `frames must have ${FRAME_SAMPLES} samples`,
          );
          assert.equal(new Set(frames).size, frames.length, "a frame is the listener's to keep");
        }),
    },
    {
      title: 'leaving is told once, last and without an error, and nothing can be asked of the room afterwards',
      play: () =>
        staged(async (_room, join) => {
          const connection = await join('guest');
          const told: Array<Error | undefined> = [];
          connection.on('left', ({ error }) => told.push(error));
          connection.start(() => {});
          await inTime(connection.leave(), 'the room was not left');
          await connection.leave();
          connection.say(new Int16Array(FRAME_SAMPLES));
          assert.deepEqual(told, [undefined]);
          await assert.rejects(async () => connection.stopDialout({ sessionId: connection.sessionId }), {
            code: 'VB_ROOMS_REQUEST_FAILED',
          });
        }),
    },
    {
      title: 'a token that the room does not take is told as that, and not shown',
      play: () =>
        staged(async (_room, join) => {
          const token = 'no-token-of-this-room';
          const refused: Error = await join('stranger', { token }).then(
            () => assert.fail('the room let a stranger in'),
            (error: Error) => error,
          );
          assert.equal(Object(refused).code, 'VB_ROOM_JOIN_FAILED', refused.message);
          assert.ok(!refused.message.includes(token), 'the message shows the token');
        }),
    },
    {
      title: 'joining is given up when it is not wanted any more',
      play: () =>
        staged(async (_room, join) => {
          const reason = new Error('not wanted');
          const failed: Error = await join('late', { signal: AbortSignal.abort(reason) }).then(
            () => assert.fail('the room was joined'),
            (error: Error) => error,
          );
          assert.ok(failed === reason || Object(failed).code === 'VB_ROOM_JOIN_FAILED', String(failed));
        }),
    },
  ];
}

type JoinAs = (userName: string, more?: Partial<Pick<JoinOptions, 'token' | 'signal'>>) => Promise<RoomConnection>;
