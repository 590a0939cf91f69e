import { RoomRefusal } from '../../../src/sandbox/rooms/contract.js';
import { startRoomProvider } from './room-provider-under-test.js';

const FORWARD = { callId: 'call', callDomain: 'domain', sipUri: 'sip:123456780@sandbox.sip.localhost' };

test('forwards a held caller', async () => {
  await using provider = await startRoomProvider();
  expect(await provider.post('/dialin/pinlessCallUpdate', { ...FORWARD, more: 1 })).toEqual({
    status: 200,
    body: { ok: 'true' },
  });
  expect(provider.live.asked).toEqual([['forward', FORWARD]]);
  provider.live.refusal = new RoomRefusal(404, 'not-found', 'call forwarding failed');
  expect(await provider.post('/dialin/pinlessCallUpdate', FORWARD)).toEqual({
    status: 404,
    body: { error: 'not-found', info: 'call forwarding failed' },
  });
});

test.each(['callId', 'callDomain', 'sipUri'])('does not forward without %s', async (field) => {
  await using provider = await startRoomProvider();
  for (const value of [undefined, '', 5, 'x'.repeat(257)]) {
    const { status, body } = await provider.post('/dialin/pinlessCallUpdate', { ...FORWARD, [field]: value });
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'invalid-request-error', info: expect.stringContaining(field) });
  }
  expect(provider.live.asked).toEqual([]);
});

test.each([
  ['dialOut/start', 'startDialOut', 'true'],
  ['dialOut/stop', 'stopDialOut', 'true'],
  ['dialOut/sendDTMF', 'sendDTMF', 'true'],
  ['sipCallTransfer', 'sipCallTransfer', true],
  ['sipRefer', 'sipRefer', true],
])('hands %s on as it is', async (path, method, ok) => {
  await using provider = await startRoomProvider();
  const params = { sessionId: 's1', phoneNumber: 5, anything: { else: [1] } };
  expect((await provider.post(`/rooms/one/${path}`, params)).status).toBe(404);
  await provider.post('/rooms', { name: 'one' });
  provider.live.answer = { sessionId: 's2' };
  expect(await provider.post(`/rooms/one/${path}`, params)).toEqual({ status: 200, body: { ok, sessionId: 's2' } });
  expect(provider.live.asked).toEqual([['control', 'one', method, params]]);
  expect((await provider.post(`/rooms/one/${path}`, '[]')).status).toBe(400);
  provider.live.refusal = new RoomRefusal(404, 'not-found', 'room is not hosting a call');
  expect(await provider.post(`/rooms/one/${path}`, params)).toEqual({
    status: 404,
    body: { error: 'not-found', info: 'room is not hosting a call' },
  });
});

test('leaves the limit on calls to what starts them', async () => {
  await using provider = await startRoomProvider({ isLimited: true });
  await provider.post('/rooms', { name: 'one' });
  for (let n = 0; n < 6; n += 1) expect((await provider.post('/rooms/one/dialOut/start', {})).status).toBe(200);
  for (let n = 0; n < 5; n += 1) provider.account.rateLimits.take('dialout');
});
