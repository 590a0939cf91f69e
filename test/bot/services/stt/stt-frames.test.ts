import { deferred } from '../../../../src/base/async/deferred.js';
import {
  CancelFrame,
  EndFrame,
  InputAudioFrame,
  InterimTranscriptionFrame,
  InterruptionFrame,
  TranscriptionFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { counting, startStt, until } from './start-stt.js';

test('audio is passed on at once, as it came, and words are added', async () => {
  await using call = await startStt();
  const frame = new InputAudioFrame(counting(20), 8_000);
  call.task.queueFrame(frame);
  expect(call.after.of(InputAudioFrame)).toEqual([frame]); // without a turn of the event loop between
  const session = await call.connecting;
  await session.heard(20);
  session.interim('I would');
  session.interim('I would like');
  session.say('I would like a table.', { endsUtterance: false });
  session.say('For two.');
  const finals = await call.after.sees(TranscriptionFrame, 2);
  expect(finals.map(({ text, endsUtterance }) => [text, endsUtterance])).toEqual([
    ['I would like a table.', false],
    ['For two.', true],
  ]);
  expect(call.after.of(InterimTranscriptionFrame).map(({ text }) => text)).toEqual(['I would', 'I would like']);
});

test('empty results are not passed on, but take back words that were not said after all', async () => {
  await using call = await startStt();
  const session = await call.connecting;
  session.interim('');
  session.say('');
  session.interim('um');
  session.say('');
  session.say('');
  session.say('Hello.');
  await call.after.sees(TranscriptionFrame);
  expect(call.after.of(InterimTranscriptionFrame).map(({ text }) => text)).toEqual(['um', '']);
  expect(call.after.of(TranscriptionFrame).map(({ text }) => text)).toEqual(['Hello.']);
});

test('words go on through an interruption', async () => {
  await using call = await startStt();
  const session = await call.connecting;
  session.interim('wait');
  await call.after.sees(InterimTranscriptionFrame);
  call.task.queueFrame(new InterruptionFrame());
  session.say('Wait a moment.');
  await call.after.sees(TranscriptionFrame);
  expect(session.isOpen).toBe(true);
});

test('messages that are not understood are ignored', async () => {
  await using call = await startStt();
  const session = await call.connecting;
  for (const junk of ['', '{', '[]', 'null', '{"type":"Results"}', '{"type":"Hello"}', Buffer.from([1, 2, 3])]) {
    session.send(typeof junk === 'string' ? junk : junk.toString('latin1'));
  }
  session.say('Still here.');
  await call.after.sees(TranscriptionFrame);
  expect(call.errors).toEqual([]);
});

test('the end does not wait for late results, tells the provider, and closes', async () => {
  await using call = await startStt();
  const session = await call.connecting;
  call.hear(counting(100));
  await session.heard(100);
  call.task.queueFrame(new EndFrame());
  expect(call.after.of(EndFrame)).toHaveLength(1);
  await call.run;
  await session.received('CloseStream');
  await session.closed;
  expect(call.errors).toEqual([]);
});

test('nothing is told after the end', async () => {
  await using call = await startStt();
  const session = await call.connecting;
  session.say('In time.');
  await call.after.sees(TranscriptionFrame);
  call.task.queueFrame(new EndFrame());
  session.say('Too late.'); // leaves before the provider knows of the end
  await session.closed;
  expect(call.after.of(TranscriptionFrame)).toHaveLength(1);
});

test('a cancellation closes too', async () => {
  await using call = await startStt();
  const session = await call.connecting;
  session.say('Hello.');
  await call.after.sees(TranscriptionFrame);
  call.task.queueFrame(new CancelFrame());
  await call.run;
  await session.received('CloseStream');
  await session.closed;
});

test('an end before the provider has accepted ends the attempt', async () => {
  const opening = deferred();
  await using call = await startStt({ prepare: (fake) => fake.hold(opening.promise) });
  call.hear(counting(100));
  await until(() => call.fake.open === 1);
  call.task.queueFrame(new EndFrame());
  await call.run;
  await until(() => call.fake.open === 0);
  opening.resolve();
  expect(call.errors).toEqual([]);
});
