import fc from 'fast-check';
import { AudioBacklog } from '../../../../src/bot/services/stt/audio-backlog.js';

/** A byte lasts a millisecond. */
const FORMAT = { encoding: 'PCMU', sampleRate: 1_000 } as const;

const audio = (from: number, length: number) => Uint8Array.from({ length }, (_, i) => (from + i) % 251);
const taken = (backlog: AudioBacklog) => Buffer.concat(backlog.takeUnsent());

test('gives what was not sent, once', () => {
  const backlog = new AudioBacklog(FORMAT, 1_000);
  backlog.push(audio(0, 10));
  backlog.push(audio(10, 10));
  expect(taken(backlog)).toEqual(Buffer.from(audio(0, 20)));
  expect(taken(backlog)).toHaveLength(0);
});

test('gives again what was not confirmed, in the middle of a piece too', () => {
  const backlog = new AudioBacklog(FORMAT, 1_000);
  backlog.push(audio(0, 10));
  backlog.push(audio(10, 10));
  taken(backlog);
  backlog.confirm(13);
  backlog.rewind();
  expect(backlog.position).toBe(13);
  expect(taken(backlog)).toEqual(Buffer.from(audio(13, 7)));
});

test('does not believe that audio was heard before it was sent', () => {
  const backlog = new AudioBacklog(FORMAT, 1_000);
  backlog.push(audio(0, 10));
  backlog.confirm(1e9);
  expect(taken(backlog)).toEqual(Buffer.from(audio(0, 10)));
});

test('drops the oldest and counts what was never sent', () => {
  const backlog = new AudioBacklog(FORMAT, 30);
  for (let i = 0; i < 5; i += 1) backlog.push(audio(i * 10, 10));
  expect(backlog.droppedBytes).toBe(20);
  expect(taken(backlog)).toEqual(Buffer.from(audio(20, 30)));
  backlog.push(audio(50, 10));
  expect(backlog.droppedBytes).toBe(20); // this time it had been sent
});

test('whatever happens, each connection gets what follows the last confirmed byte, in order', () => {
  const step = fc.oneof(
    fc.record({ push: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ confirm: fc.integer({ min: -20, max: 60 }) }),
    fc.constant({ reconnect: true }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const backlog = new AudioBacklog(FORMAT, 1e6);
      let end = 0;
      let confirmed = 0;
      let sent = 0;
      for (const action of steps) {
        if ('push' in action) {
          backlog.push(audio(end, action.push));
          end += action.push;
        } else if ('confirm' in action) {
          backlog.confirm(confirmed + action.confirm);
          confirmed = Math.max(confirmed, Math.min(sent, confirmed + action.confirm));
        } else {
          backlog.rewind();
          sent = confirmed;
        }
        expect(backlog.position).toBe(sent);
        if (!('push' in action)) {
          expect(taken(backlog)).toEqual(Buffer.from(audio(sent, end - sent)));
          sent = end;
        }
      }
    }),
  );
});
