import { hears, listen, measure, startLiveRooms } from './live-rooms-under-test.js';
import { inRoom, isHungUpWhenUnanswered, staysWhenUnanswered } from './transferring.js';

const UNANSWERED = [
  ['+12025550103', 'dialout-stopped', undefined],
  ['+12025550104', 'dialout-error', 'Rejected'],
  ['+12025550108', 'dialout-error', 'Failed'],
] as const;

test.each(UNANSWERED)('leaves the caller in the room when %s does not answer: %s %s', staysWhenUnanswered);

test.each(UNANSWERED)('hangs up who has left when %s does not answer: %s %s', isHungUpWhenUnanswered);

test('the caller hears the room besides the ringing', async () => {
  await using call = await inRoom({ tickMs: 20, transferOrder: 'leaves_on_answer' });
  const { owner, caller } = call;
  owner.hum(1_500);
  await hears(caller.heard, 1_500);
  await call.transfer('+12025550103');
  await owner.event('dialout-connected');
  let both = false;
  for (let tries = 0; tries < 40 && !both; tries += 1) {
    const pcm = await listen(caller.heard, 10);
    both = measure(pcm, 440).purity > 0.05 && measure(pcm, 1_500).purity > 0.3;
  }
  expect(both).toBe(true);
});

test('transfers one that was dialled, too', async () => {
  await using live = await startLiveRooms({ timing: { tickMs: 0.5 } });
  const room = await live.room();
  await using owner = await live.owner(room);
  const { result } = await owner.request('startDialOut', { phoneNumber: '+15551234567' });
  await owner.event('participant-joined');
  await owner.request('sipCallTransfer', { sessionId: result.sessionId, toEndPoint: '+12025550101' });
  expect(await owner.event('dialout-stopped')).toMatchObject({ sessionId: result.sessionId });
  expect(live.sandbox.liveCalls).toBe(2);
});
