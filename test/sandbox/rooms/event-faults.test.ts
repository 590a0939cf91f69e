import type { WireEvent } from '../../../src/providers/rooms/client-messages.js';
import { FaultyEvents, type RoomEventFault } from '../../../src/sandbox/rooms/event-faults.js';
import { startLiveRooms } from './live-rooms-under-test.js';

const leg = { session_id: 'leg', user_name: 'Ada', owner: false, participantType: 'pstn-dial-out' };
const guest = { ...leg, session_id: 'guest', participantType: 'unknown' };

/** What a client is told of these events. */
function told(faults: readonly RoomEventFault[], events: readonly (string | WireEvent)[]): string[] {
  const actions: string[] = [];
  const faulty = new FaultyEvents(faults, ({ action }) => actions.push(action));
  for (const event of events) faulty.tell(typeof event === 'string' ? { action: event } : event);
  return actions;
}

const CALL = ['dialout-connected', 'dialout-answered', 'participant-joined', 'dialout-stopped'] as const;
const [connected, answered, joined, stopped] = CALL;

test.each<[string, Omit<RoomEventFault, 'event'>, readonly string[]]>([
  ['loses an event', { fault: 'drop' }, [connected, joined, stopped]],
  ['sends an event twice', { fault: 'double' }, [connected, answered, answered, joined, stopped]],
  ['sends an event behind the next one', { fault: 'hold' }, [connected, joined, answered, stopped]],
  [
    'sends an event behind one that is named',
    { fault: 'hold', until: stopped },
    [connected, joined, stopped, answered],
  ],
  ['leaves events alone that are beyond the count', { fault: 'drop', times: 0 }, CALL],
])('%s', (_title, fault, expected) => {
  expect(told([{ event: answered, ...fault }], CALL)).toEqual(expected);
});

test('counts the events that a fault has happened to', () => {
  const fault: RoomEventFault = { event: answered, fault: 'drop', times: 2 };
  expect(told([fault], [answered, answered, answered])).toEqual([answered]);
});

test('can leave participants without a telephone alone', () => {
  const events = [
    { action: joined, participant: leg },
    { action: joined, participant: guest },
  ];
  expect(told([{ event: joined, fault: 'drop' }], events)).toEqual([]);
  expect(told([{ event: joined, fault: 'drop', telephonesOnly: true }], events)).toEqual([joined]);
});

describe('with time', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test.each(['delay', 'double'] as const)('sends an event late, or its repetition: %s', (fault) => {
    const actions: string[] = [];
    const faulty = new FaultyEvents([{ event: answered, fault, delayMs: 3_000 }], ({ action }) => actions.push(action));
    faulty.tell({ action: answered });
    const before = fault === 'double' ? [answered] : [];
    jest.advanceTimersByTime(2_999);
    expect(actions).toEqual(before);
    jest.advanceTimersByTime(1);
    expect(actions).toEqual([...before, answered]);
  });

  test('sends nothing late to a client that has left', () => {
    const faulty = new FaultyEvents([{ event: answered, fault: 'delay', delayMs: 1 }], () => {
      throw new Error('it has left');
    });
    faulty.tell({ action: answered });
    faulty.close();
    jest.advanceTimersByTime(1);
  });
});

test('does so to the events of a room, and not to the call', async () => {
  const eventFaults: RoomEventFault[] = [
    { event: 'dialout-answered', fault: 'drop' },
    { event: 'dialout-connected', fault: 'hold' },
  ];
  await using live = await startLiveRooms({ eventFaults });
  const room = await live.room();
  await using owner = await live.owner(room);
  await owner.request('startDialOut', { phoneNumber: '+12025550107' });
  await owner.event('dialout-stopped');
  expect(owner.events.all.map(({ action }) => action)).toEqual([
    'dialin-ready',
    'participant-joined',
    'dialout-connected',
    'participant-left',
    'dialout-stopped',
  ]);
});
