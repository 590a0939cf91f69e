import { silentLogger } from '../../../../src/base/logger.js';
import { asCallId } from '../../../../src/call/call-id.js';
import { CallMoves } from '../../../../src/runner/calls/life/call-moves.js';
import { CallRegistry } from '../../../../src/runner/calls/life/call-registry.js';
import { packLife } from '../../../../src/runner/calls/life/portable-life.js';
import { RoomsDriver, type RoomsDriverOptions } from '../../../../src/runner/calls/rooms/rooms-driver.js';
import { LifeUnderTest, roomCall } from '../life/call-lives.js';

/** What a call needs that ends before it has a bot. */
type Unchecked = Pick<RoomsDriverOptions, 'registry' | 'credentials' | 'client' | 'legs' | 'logger'> &
  Record<'pool' | 'doNotCall', object>;
const ROOM = { name: 'voicebot-0123456789abcdef', url: 'http://127.0.0.1:1/r', allowsDialout: true };

test('the telephone of a call beside another one is hung up where the runner that takes it over gets no token', async () => {
  const hungUp: unknown[] = [];
  const registry = new CallRegistry();
  const driver = new RoomsDriver({
    registry,
    pool: { forget: () => {}, expect: () => {} },
    doNotCall: {},
    credentials: { apiKey: 'key', apiUrl: 'http://127.0.0.1:1/v1' },
    client: { createToken: () => Promise.reject(new Error('as the test wants it')) },
    legs: { end: (call, { dialout }) => hungUp.push([call.room?.name, dialout?.sessionId]) },
    logger: silentLogger,
  } satisfies Unchecked as unknown as RoomsDriverOptions);
  const places: unknown[] = [];
  const moves = new CallMoves(driver, registry, {
    slotOf: (of, moved) => {
      places.push([of, moved]);
      return { release: () => {}, undo: () => {} };
    },
    letGo: (of) => void places.push(of),
  });
  const id = asCallId('leg');
  const linkedTo = asCallId('main');
  const under = new LifeUnderTest(roomCall({ id, linkedTo, isDialled: true }));
  under.happen({ type: 'room_opened' });
  const life = { ...under.life, room: { ...under.life.room, dialout: { sessionId: 'session/1', isAnswered: true } } };
  const parts = { isDialled: true, linkedTo, body: {}, phoneNumber: '+12025550177', limitS: 60, room: ROOM };
  const record = { id, direction: 'outbound', to: '+12025550177', state: 'connected', attempt: 1, startedAt: 1 };
  const place = { number: 'hashed', day: 20_787, minutes: 15, micros: 100, admittedAt: 1 };
  const packed = { version: 1, ...packLife(life, {}), parts, place };
  await moves.unpack(JSON.parse(JSON.stringify({ record, life: packed })), true);
  expect(registry.get(id)).toMatchObject({ state: 'ended' });
  expect(hungUp).toEqual([[ROOM.name, 'session/1']]);
  moves.letGo(id);
  expect(places).toEqual([[id, place], id]); // what it counts for moves with it
});
