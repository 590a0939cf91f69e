import { encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { InterruptionFrame, OutputAudioFrame } from '../../../src/bot/pipeline/frames/index.js';
import type { CallTape } from '../../../src/call/call-tape.js';
import { media, START } from './fake-stream.js';
import { startPipeline, tone, until } from './start-pipeline.js';
import { roomWithCaller } from './start-room.js';

/** Notes what a tape hears: `received 160 at 8000`. */
class NotingTape implements CallTape {
  readonly isRunning = true;
  readonly notes: string[] = [];

  received(pcm: Int16Array, sampleRate: number): void {
    this.notes.push(`received ${pcm.length} at ${sampleRate}`);
  }

  sent(pcm: Int16Array, sampleRate: number): boolean {
    this.notes.push(`sent ${pcm.length} at ${sampleRate}`);
    return this.notes.filter((note) => note.startsWith('sent')).length === 1;
  }

  marked(name: string): void {
    this.notes.push(`marked ${name}`);
  }

  played(name: string): void {
    this.notes.push(`played ${name}`);
  }

  dropped(): void {
    this.notes.push('dropped');
  }

  cleared(): void {
    this.notes.push('cleared');
  }

  streamOver(): void {
    this.notes.push('stream over');
  }

  watchWords(): void {
    this.notes.push('watches words');
  }

  async findWords(): Promise<undefined> {}

  count(note: string): number {
    return this.notes.filter((one) => one === note).length;
  }
}

test('a media stream: both sides at its rate, what the carrier is told to drop, and its end', async () => {
  const tape = new NotingTape();
  await using call = await startPipeline({ audioInSampleRate: 16_000 }, undefined, JSON.stringify(START), tape);
  call.stream.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)))));
  await until(() => tape.count('received 160 at 8000') === 1, 'the caller');
  call.task.queueFrame(new OutputAudioFrame(tone(1_000, 16_000), 16_000));
  await until(() => tape.count('sent 160 at 8000') >= 5, 'the bot');
  call.task.queueFrame(new InterruptionFrame());
  await until(() => tape.notes.at(-1) === 'cleared', 'the interruption');
  const sent = tape.count('sent 160 at 8000');
  await call.wire.next(({ event }) => event === 'clearAudio');
  expect(call.wire.sent.filter(({ event }) => event === 'playAudio')).toHaveLength(sent);
  call.stream.carrier.close();
  await call.run;
  expect(tape.notes.at(-1)).toBe('stream over');
});

test('a carrier that says nothing when it drops audio: a mark is sent ahead of the clear, and says so when it comes back', async () => {
  const tape = new NotingTape();
  await using call = await startPipeline({}, undefined, JSON.stringify(START), tape, { confirmsClear: false });
  const returns = (name: string) => call.stream.carrier.send(JSON.stringify({ event: 'playedStream', name }));
  call.task.queueFrame(new OutputAudioFrame(tone(3_000), 8_000));
  await call.wire.next(({ name }) => name === 'm1');
  returns('tape1');
  await until(() => tape.notes.includes('played tape1'), 'the beginning is heard');
  call.task.queueFrame(new InterruptionFrame());
  await call.wire.next(({ event }) => event === 'clearAudio');
  expect(call.wire.sent.slice(-2)).toMatchObject([{ event: 'checkpoint', name: 'tape2' }, { event: 'clearAudio' }]);
  expect(tape.notes.slice(-2)).toEqual(['marked tape2', 'cleared']);
  for (const name of ['m1', 'tape2']) returns(name);
  await until(() => tape.count('dropped') > 0, 'what was not played is dropped');
  call.task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
  const { name = '' } = await call.wire.next(
    (sent) => sent.event === 'checkpoint' && !['m1', 'tape1', 'tape2'].includes(sent.name ?? ''),
  );
  returns(name);
  await until(() => tape.notes.includes(`played ${name}`), 'what was said next is heard');
  expect(tape.notes.filter((note) => note.startsWith('played'))).toEqual(['played tape1', `played ${name}`]);
});

test('a room: both sides at its rate; what was said is not taken back', async () => {
  jest.useFakeTimers();
  const tape = new NotingTape();
  const call = await roomWithCaller({ audioInSampleRate: 16_000, tape });
  call.room.speak(tone(20, 16_000));
  call.task.queueFrame(new OutputAudioFrame(tone(100, 16_000), 16_000));
  await jest.advanceTimersByTimeAsync(40);
  call.task.queueFrame(new InterruptionFrame());
  await jest.advanceTimersByTimeAsync(100);
  await call.task.cancel();
  expect(new Set(tape.notes)).toEqual(new Set(['received 320 at 16000', 'sent 320 at 16000']));
  expect(tape.count('sent 320 at 16000')).toBe(call.room.said.length);
  jest.useRealTimers();
});

test('it hears a caller whom the pipeline does not', async () => {
  jest.useFakeTimers();
  const tape = new NotingTape();
  const call = await roomWithCaller({ params: { audioInEnabled: false }, tape });
  call.room.speak(tone(20));
  expect(tape.notes).toEqual(['received 160 at 8000']);
  await call.task.cancel();
  jest.useRealTimers();
});
