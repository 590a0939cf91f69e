import { FakeCaller } from '../fake-caller.js';
import { hears, hum, startLiveRooms } from './live-rooms-under-test.js';
import { inRoom } from './transferring.js';

/** As a scripted phone it is busy. */
const NUMBER = '+12025550102';

/** A room that has {@link NUMBER} dialled, which a phone attends. */
async function dialled(acts: Parameters<typeof FakeCaller.attending>[2] = {}) {
  const live = await startLiveRooms();
  const phone = await FakeCaller.attending(live.sandbox, NUMBER, acts);
  const owner = await live.owner(await live.room());
  const { result } = await owner.request('startDialOut', { phoneNumber: NUMBER });
  return {
    phone,
    owner,
    sessionId: result.sessionId as string,
    async [Symbol.asyncDispose]() {
      await owner[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
    },
  };
}

test('a dial-out rings the phone that attends its number, which is then in the room', async () => {
  await using call = await dialled();
  const { owner, sessionId, phone } = call;
  phone.says = hum(500);
  await phone.events.next(({ type }) => type === 'ringing');
  expect(await owner.event('dialout-answered')).toMatchObject({ sessionId, destination: NUMBER });
  await owner.event('participant-joined');
  await hears(owner.heard, 500);
  phone.client.press('7');
  expect(await owner.event('dtmf-event')).toMatchObject({ sessionId, tone: '7' });
  phone.client.hangUp();
  expect(await owner.event('dialout-stopped')).toMatchObject({ sessionId });
  expect(await phone.ended()).toMatchObject({ code: 4000, source: 'Callee' });
});

test('a phone that declines does so in the words of rooms', async () => {
  await using call = await dialled({ outcome: 'declined' });
  expect(await call.owner.event('dialout-error')).toMatchObject({ errorMsg: 'Rejected' });
  expect(await call.phone.ended()).toMatchObject({ cause: 'Declined', durationMs: 0 });
});

test('a caller who leaves a room by a transfer talks with the phone that attends the number', async () => {
  await using call = await inRoom({ tickMs: 2 });
  const { live, owner, caller, sessionId } = call;
  await using phone = await FakeCaller.attending(live.sandbox, NUMBER);
  phone.says = hum(500);
  caller.says = hum(700);
  await call.transfer(NUMBER);
  await phone.events.next(({ type }) => type === 'ringing');
  expect(await owner.event('dialin-stopped')).toMatchObject({ sessionId });
  await hears(caller.heard, 500);
  await hears(phone.heard, 700);
  phone.client.hangUp();
  expect(await caller.ended()).toMatchObject({ code: 4000, source: 'Callee' });
});

test('a caller stays in the room when the phone that attends the number does not answer', async () => {
  await using call = await inRoom({ tickMs: 2, transferOrder: 'leaves_on_answer' });
  const { live, owner, caller, sessionId } = call;
  await using phone = await FakeCaller.attending(live.sandbox, NUMBER, { outcome: 'no_answer' });
  await call.transfer(NUMBER);
  await owner.event('dialout-stopped');
  expect(await phone.ended()).toMatchObject({ cause: 'No Answer' });
  caller.client.press('1');
  expect(await owner.event('dtmf-event')).toMatchObject({ sessionId, tone: '1' });
});
