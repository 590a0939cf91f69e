import { EventEmitter } from 'node:events';
import { earlierDialout } from '../../../../src/bot/transports/room/earlier-dialout.js';
import type { RoomEvents, RoomParticipant } from '../../../../src/providers/rooms/room-connection.js';

const TO = '+12025550177';

/** A room in which a bot waits for the telephone that an earlier one has dialled. */
function waiting(...there: readonly RoomParticipant[]) {
  const events = new EventEmitter<RoomEvents>();
  const participants = new Map(there.map((participant) => [participant.sessionId, participant]));
  const room = Object.assign(events, { participants }) as unknown as Parameters<typeof earlierDialout>[0];
  const isOurs = ({ sessionId, userId }: { sessionId: string; userId?: string }, isLegEvent: boolean) =>
    isLegEvent ? sessionId !== 'other' : userId === 'ours';
  const found = earlierDialout(room, TO, isOurs);
  return { events, found };
}

const phone = (sessionId: string, userId: string): RoomParticipant => ({
  sessionId,
  userId,
  userName: '',
  isOwner: false,
  kind: 'dial-out',
});

test.each(['dialout_connected', 'dialout_answered', 'dialout_stopped'] as const)(
  'is the telephone that %s tells of, where the number is the one that was dialled',
  async (event) => {
    const { events, found } = waiting();
    events.emit(event, { sessionId: 'other', destination: TO });
    events.emit(event, { sessionId: 'elsewhere', destination: '+12025550178' });
    events.emit(event, { sessionId: 'leg', destination: TO });
    expect(await found).toEqual({ sessionId: 'leg' });
    expect([event, 'left'].map((name) => events.listenerCount(name as 'left'))).toEqual([0, 0]);
  },
);

test('is a telephone of its name that comes, or is there', async () => {
  const { events, found } = waiting(phone('another', 'theirs'));
  events.emit('participant_joined', { ...phone('page', 'ours'), kind: 'web' });
  events.emit('participant_joined', phone('leg', 'ours'));
  expect(await found).toEqual({ sessionId: 'leg' });
  expect(await waiting(phone('leg', 'ours')).found).toEqual({ sessionId: 'leg' });
});

test('is one that is told to have failed, and is not waited for when the bot leaves', async () => {
  const { events, found } = waiting();
  events.emit('dialout_error', { errorMsg: 'of no leg' });
  events.emit('dialout_error', { sessionId: 'leg', errorMsg: 'busy' });
  expect(await found).toEqual({ sessionId: 'leg' });
  const left = waiting();
  left.events.emit('left', {});
  await expect(left.found).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
  expect(left.events.eventNames()).toEqual([]);
});
