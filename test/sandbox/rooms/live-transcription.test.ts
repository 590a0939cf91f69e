import { startLiveRooms } from './live-rooms-under-test.js';
import { RoomGuest } from './room-guest.js';

const INSTANCE = 'a-transcription';
const WISHES = { instanceId: INSTANCE, endpointing: 300, includeRawResponse: true, extra: { interim_results: true } };

test('an owner has what telephones say transcribed, with interim words where they are asked for', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  expect(await owner.request('startTranscription', WISHES)).toEqual({ result: {} });
  expect(await owner.event('transcription-started')).toMatchObject({
    instanceId: INSTANCE,
    startedBy: owner.sessionId,
  });
  const { caller, sessionId } = await live.callerIn(room, owner);
  await using _ = caller;
  caller.client.spoke('My name is Ada.');
  const about = { participantId: sessionId, instanceId: INSTANCE, text: 'My name is Ada.' };
  expect(await owner.event('transcription-message')).toMatchObject({ ...about, rawResponse: { is_final: false } });
  expect(await owner.event('transcription-message')).toMatchObject({
    ...about,
    rawResponse: { is_final: true, speech_final: true, channel: { alternatives: [{ transcript: 'My name is Ada.' }] } },
  });
});

test('nothing is transcribed before it was started, after it was stopped, and of participants who were not chosen', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const { caller, sessionId } = await live.callerIn(room, owner);
  await using _ = caller;
  const final = () => owner.event('transcription-message');
  caller.client.spoke('too early');
  await owner.request('startTranscription', { instanceId: INSTANCE });
  await owner.request('updateTranscription', { instanceId: INSTANCE, participants: ['another'] });
  caller.client.spoke('not chosen');
  await owner.request('updateTranscription', { instanceId: INSTANCE, participants: [sessionId] });
  // What comes on two sockets has no order: the words are said until they are heard.
  const saying = setInterval(() => caller.client.spoke('chosen'), 20);
  const heard = await final().finally(() => clearInterval(saying));
  expect(heard).toMatchObject({ text: 'chosen' });
  expect(heard.rawResponse).toBeUndefined();
  await owner.request('stopTranscription', { instanceId: INSTANCE });
  expect(await owner.event('transcription-stopped')).toMatchObject({
    instanceId: INSTANCE,
    updatedBy: owner.sessionId,
  });
});

test.each([
  [{ is_owner: false }, /are you a room owner or transcription admin/],
  [{ permissions: { canAdmin: ['participants'] } }, /are you a room owner or transcription admin/],
])('a token of %j may not start it', async (properties, words) => {
  await using live = await startLiveRooms();
  const room = await live.room();
  const token = await live.tokenFor(room.name, properties);
  await using guest = await RoomGuest.join(room.url, { token, tickMs: 2 });
  expect(await guest.request('startTranscription', WISHES)).toEqual({ result: {} });
  expect(await guest.event('transcription-error')).toMatchObject({ errorMsg: expect.stringMatching(words) });
});

test('a token that may administer transcription may start it', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  const token = await live.tokenFor(room.name, { permissions: { canAdmin: ['transcription'] } });
  await using guest = await RoomGuest.join(room.url, { token, tickMs: 2 });
  await guest.request('startTranscription', WISHES);
  expect(await guest.event('transcription-started')).toMatchObject({ startedBy: guest.sessionId });
});

test('on a plan without transcription it does not start', async () => {
  await using live = await startLiveRooms({ hasTranscription: false });
  const room = await live.room();
  await using owner = await live.owner(room);
  await owner.request('startTranscription', WISHES);
  expect(await owner.event('transcription-error')).toMatchObject({
    instanceId: INSTANCE,
    errorMsg: expect.stringContaining('not enabled'),
  });
});

test('parameters that are none are refused', async () => {
  await using live = await startLiveRooms();
  const room = await live.room();
  await using owner = await live.owner(room);
  const answer = await owner.request('startTranscription', { participants: 'caller' });
  expect(answer).toMatchObject({
    error: { error: 'invalid-request-error', info: expect.stringContaining('participants') },
  });
});
