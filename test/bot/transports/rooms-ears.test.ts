import type { ProviderError } from '../../../src/base/provider-error.js';
import { ErrorFrame, InterimTranscriptionFrame, TranscriptionFrame } from '../../../src/bot/pipeline/frames/index.js';
import { sharedHealth } from '../../../src/bot/services/service-health.js';
import { SttService } from '../../../src/bot/services/stt/index.js';
import { RoomsTransport } from '../../../src/bot/transports/room/rooms-transport.js';
import { useStandIns } from '../../../src/call/stand-ins.js';
import type { TranscriptionMessage } from '../../../src/providers/rooms/room-connection.js';
import { participant } from './fake-room.js';
import { CALLER, ROOM_URL, type RoomStart, startRoom } from './start-room.js';

beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(console, 'error').mockImplementation(() => {}); // a pipeline without handlers prints its problems
});

afterEach(() => {
  for (const failing of sharedHealth.failing) sharedHealth.works(failing);
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** A bot whose ears are the provider's transcription, in a room with a caller. */
async function transcribed(start: RoomStart = {}) {
  const call = await startRoom({ params: { transcriptionEnabled: true }, ...start });
  const { room } = call;
  const instanceId = () => room.transcriptions.at(-1)?.instanceId ?? '';
  const message = (text: string, more: Partial<TranscriptionMessage> = {}) =>
    room.tell('transcription_message', {
      sessionId: CALLER.sessionId,
      text,
      isFinal: true,
      endsUtterance: true,
      instanceId: instanceId(),
      ...more,
    });
  return {
    ...call,
    instanceId,
    message,
    comes: () => {
      room.tell('dialin_connected', { sessionId: CALLER.sessionId });
      room.comes(CALLER);
    },
    starts: () => room.tell('transcription_started', { instanceId: instanceId(), startedBy: room.sessionId }),
    fails: (errorMsg: string) => room.tell('transcription_error', { instanceId: instanceId(), errorMsg }),
    finals: () => call.heard.of(TranscriptionFrame).map(({ text, endsUtterance }) => [text, endsUtterance]),
    interims: () => call.heard.of(InterimTranscriptionFrame).map(({ text }) => text),
    errors: () =>
      call.heard.of(ErrorFrame).map(({ error }) => [error.message, (error as ProviderError).isFinal] as const),
  };
}

test('the words of the caller come out of the input, and those of the bot and of other transcriptions do not', async () => {
  const call = await transcribed();
  expect(call.room.transcriptions).toEqual([{ instanceId: expect.stringMatching(/^[\da-f-]{36}$/) }]);
  call.starts();
  call.comes();
  call.message('my name', { isFinal: false, endsUtterance: false });
  call.message('My name is', { endsUtterance: false });
  call.message('Ada.');
  call.message('Hello, who is there?', { sessionId: call.room.sessionId });
  call.message('not ours', { instanceId: 'another' });
  await call.turn();
  expect(call.interims()).toEqual(['my name']);
  expect(call.finals()).toEqual([
    ['My name is', false],
    ['Ada.', true],
  ]);
  expect(call.told('transcription_message')).toHaveLength(5);
  await call.task.cancel();
});

test('who is there besides the bot is transcribed, as they come and as the bot chooses', async () => {
  const call = await transcribed();
  call.starts();
  call.comes();
  call.room.comes(participant('supervisor'));
  call.transport.hearOnly([CALLER.sessionId]);
  call.message('Never mind me.', { sessionId: 'supervisor' });
  call.message('Hello.');
  await call.turn();
  expect(call.room.asked).toEqual([
    'startTranscription',
    'updateTranscription caller',
    'updateTranscription caller,supervisor',
    'updateTranscription caller',
  ]);
  expect(call.finals()).toEqual([['Hello.', true]]);
  await call.task.cancel();
  expect(call.room.asked).toContain('stopTranscription');
});

test('a transcription that has not begun yet is stopped when the call is over', async () => {
  const call = await transcribed();
  await call.task.cancel();
  expect(call.room.asked).toContain('stopTranscription');
});

test('what the provider is asked for is what the bot says', async () => {
  const options = { language: 'de', model: 'nova-3', endpointingMs: 500, interim: false };
  const call = await transcribed({ params: { transcriptionEnabled: options } });
  expect(call.room.transcriptions).toEqual([{ ...options, instanceId: call.instanceId() }]);
  await call.task.cancel();
});

test('one that cannot start is tried once more, and is then the end of the ears', async () => {
  const call = await transcribed();
  call.fails('transcription is not enabled for this domain');
  await call.turn();
  expect(call.errors()).toEqual([]);
  call.fails('transcription is not enabled for this domain');
  await call.turn();
  expect(call.errors()).toEqual([[expect.stringContaining('transcription is not enabled for this domain'), true]]);
  expect(call.room.transcriptions).toHaveLength(2);
  call.starts();
  call.message('too late');
  await call.turn();
  expect(call.finals()).toEqual([]);
  expect(call.told('transcription_error')).toHaveLength(2);
  await call.task.cancel();
});

test.each([
  ['that says nothing for ten seconds', (): undefined => undefined],
  ['that is refused', (): Error => new Error('not in the room')],
])('one %s has failed', async (_, refusal) => {
  const error = refusal();
  const call = await transcribed({
    before: ({ room }) => {
      if (error) room.refuse('startTranscription', error);
    },
  });
  if (!error) await call.wait(19_999);
  if (!error) expect(call.errors()).toEqual([]);
  await call.wait(1);
  const words = error ? 'not in the room' : 'no answer within 10 s';
  expect(call.errors()).toEqual([[expect.stringContaining(words), true]]);
  await call.task.cancel();
});

test('one that stops in the call is followed by another, which the bot is told', async () => {
  const call = await transcribed();
  call.starts();
  call.comes();
  const first = call.instanceId();
  call.room.tell('transcription_stopped', { instanceId: first });
  await call.turn();
  expect(call.instanceId()).not.toBe(first);
  call.starts();
  call.message('Are you there?');
  await call.turn();
  expect(call.errors()).toEqual([[expect.stringContaining('it has stopped'), false]]);
  expect(call.finals()).toEqual([['Are you there?', true]]);
  await call.task.cancel();
});

test('after the connection was lost there is another one, and the one before means nothing', async () => {
  const call = await transcribed();
  call.starts();
  call.comes();
  const before = call.instanceId();
  call.room.tell('rejoined');
  call.starts();
  call.message('twice', { instanceId: before });
  call.message('once');
  await call.turn();
  expect(call.finals()).toEqual([['once', true]]);
  expect(call.errors()).toEqual([]);
  await call.task.cancel();
});

test('a pipeline with ears of its own is told the words by events only', async () => {
  const ears = new SttService({ provider: 'own', create: () => ({ droppedMs: 0, write() {}, close() {} }) });
  const call = await transcribed({ processors: [ears] });
  call.starts();
  call.comes();
  call.message('Hello.');
  await call.turn();
  expect(call.finals()).toEqual([]);
  expect(call.told('transcription_message')).toEqual([expect.objectContaining({ text: 'Hello.' })]);
  await call.task.cancel();
});

test('where stand-ins serve the call, nothing is asked for', async () => {
  useStandIns();
  try {
    const call = await transcribed();
    expect(call.room.asked).toEqual([]);
    await call.task.cancel();
  } finally {
    useStandIns(false);
  }
});

test('a connection that cannot transcribe is said to be one', async () => {
  const call = await transcribed({
    before: ({ room }) => Object.assign(room, { startTranscription: undefined }),
  });
  await call.turn();
  expect(call.errors()).toEqual([[expect.stringContaining('cannot ask for transcription'), true]]);
  await call.task.cancel();
});

test('options that are wrong are refused, all at once', () => {
  const transcriptionEnabled = { language: '', endpointingMs: 5, interim: 'yes', extra: [], lang: 'de' };
  const refused = () =>
    new RoomsTransport(ROOM_URL, 'token', 'Ada', {
      apiKey: 'key',
      transcriptionEnabled: transcriptionEnabled as never,
    });
  for (const words of ['lang', 'language must be text', 'endpointingMs must be 10', 'interim must be', 'extra must be'])
    expect(refused).toThrow(words);
});
