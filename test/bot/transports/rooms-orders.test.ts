import fc from 'fast-check';
import type { RoomEvents } from '../../../src/providers/rooms/room-connection.js';
import { participant } from './fake-room.js';
import { type RoomStart, startRoom } from './start-room.js';

type Call = Awaited<ReturnType<typeof startRoom>>;
type Step = (call: Call) => unknown;

const NUMBER = '+12025550101';
const SESSIONS = ['caller', 'leg-1', 'leg-2', 'operator'];

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

const named = (name: string, step: Step): Step => Object.assign(step, { [fc.toStringMethod]: () => name });

const legEvent = fc
  .tuple(
    fc.constantFrom('dialin_connected', 'dialin_stopped', 'dialout_connected', 'dialout_answered', 'dialout_stopped'),
    fc.constantFrom(...SESSIONS),
  )
  .map(([event, sessionId]) => {
    return named(`${event} ${sessionId}`, ({ room }) => room.tell(event as 'dialin_stopped', { sessionId }));
  });
const presence = fc
  .tuple(fc.constantFrom('comes', 'goes'), fc.constantFrom(...SESSIONS), fc.constantFrom('web', 'dial-in', 'dial-out'))
  .map(([how, who, kind]) => named(`${who} ${how} by ${kind}`, ({ room }) => room[how](participant(who, kind))));
const trouble = fc
  .tuple(fc.constantFrom('dialin_error', 'dialout_error'), fc.option(fc.constantFrom(...SESSIONS)))
  .map(([event, sessionId]) => {
    const data: RoomEvents['dialout_error'][0] = { errorMsg: 'Busy', ...(sessionId !== null && { sessionId }) };
    return named(`${event} ${sessionId}`, ({ room }) => room.tell(event, data));
  });
const action = fc.constantFrom(
  named('transfer', ({ transport }) => void transport.sipCallTransfer({ toEndPoint: NUMBER }).catch(() => {})),
  named('dial', ({ transport }) => void transport.startDialout({ phoneNumber: NUMBER }).catch(() => {})),
  named('refer', ({ transport }) => void transport.sipRefer({ toEndPoint: 'sip:a@b' }).catch(() => {})),
  named('stop', ({ transport }) => void transport.stopDialout().catch(() => {})),
  named('ready', ({ room }) => room.tell('dialin_ready', { sipEndpoint: 'sip:1@x' })),
  named('turn', ({ turn }) => turn()),
  named('a second', ({ wait }) => wait(1_000)),
  named('six seconds', ({ wait }) => wait(6_000)),
);
const start = fc.constantFrom<RoomStart>(
  {},
  { past: { isForwarded: true } },
  { past: { dialout: { sessionId: 'leg-1', isAnswered: true } } },
  { past: { dialout: { sessionId: 'leg-1', isAnswered: false } }, silenceMs: 3_000 },
);

test('whatever happens in whatever order, a call ends once, and nothing of it stays behind', async () => {
  const steps = fc.array(fc.oneof(legEvent, presence, trouble, action), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(start, steps, async (begin, story) => {
      const call = await startRoom(begin);
      const problems: Error[] = [];
      call.task.on('problem', (error) => problems.push(error));
      for (const step of story) await step(call);
      if (!call.isOver()) void call.task.cancel();
      await call.wait(3_000);
      await call.run;
      await call.turn();
      expect(problems).toEqual([]);
      expect(call.link.types.filter((type) => type.startsWith('over')).length).toBeLessThanOrEqual(1);
      expect(call.link.types.filter((type) => type === 'connected').length).toBeLessThanOrEqual(1);
      expect(call.room.asked.filter((asked) => asked === 'leave')).toHaveLength(1);
      expect(call.events.filter((event) => event === 'left')).toHaveLength(1);
      expect(call.room.listenerCount).toBe(0);
      expect(jest.getTimerCount()).toBe(0);
    }),
    { numRuns: 300 },
  );
});
