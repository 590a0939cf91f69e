import { dialled, tellsWhyUnanswered } from './dialling-out.js';
import { startLiveRooms } from './live-rooms-under-test.js';

test.each([
  ['+12025550103', 'dialout-stopped', undefined],
  ['+12025550104', 'dialout-error', 'Rejected'],
])('tells how %s did not answer: %s %s', tellsWhyUnanswered);

test.each(['+12025550106', '+12025550107', '+12025550108'])('is answered by %s', async (number) => {
  await using call = await dialled(number, {}, 0.5);
  expect(await call.owner.event('dialout-answered')).toMatchObject({ sessionId: call.sessionId });
  await call.owner.event('participant-joined');
});

test('takes five telephones in one room', async () => {
  await using live = await startLiveRooms();
  const room = await live.room({ sip: { display_name: 'Ada', sip_mode: 'dial-in' } });
  await using owner = await live.owner(room);
  const { caller } = await live.callerIn(room, owner);
  await using _ = caller;
  for (let n = 1; n <= 4; n += 1) await owner.request('startDialOut', { phoneNumber: `+1555123456${n}` });
  expect(await owner.request('startDialOut', { phoneNumber: '+15551234565' })).toMatchObject({
    error: { info: 'no more SIP or PSTN participants allowed in room' },
  });
});
