import { RoomTape } from '../../../../src/bot/transports/room/room-tape.js';
import type { CallTape } from '../../../../src/call/call-tape.js';

const RATE = 8_000;
const FRAME = 160;
const frame = (value: number) => new Int16Array(FRAME).fill(value);

function taped() {
  const sent: number[] = [];
  const tape = {
    sent: ({ length, 80: middle }: Int16Array) => void sent.push(middle ?? 0, length),
  } as unknown as CallTape;
  return { sent, tape: new RoomTape(tape) };
}

const [ann, bob] = [{}, {}];

test('what the bot says goes to the recording as it is while it is alone with its party', () => {
  const { sent, tape } = taped();
  tape.said(frame(5), RATE);
  tape.tick(RATE);
  expect(sent).toEqual([5, FRAME]);
});

test('those whom the party hears are in the recording, and the bot beside them in the same moment', () => {
  const { sent, tape } = taped();
  for (let n = 0; n < 6; n += 1) {
    tape.overheard(ann, frame(100), RATE, RATE);
    tape.overheard(bob, frame(20), RATE, RATE);
    tape.said(frame(3), RATE);
    tape.tick(RATE);
  }
  const values = sent.filter((_, n) => n % 2 === 0);
  expect(values.length).toBeGreaterThanOrEqual(4);
  expect(values).toEqual(values.map(() => 123));
});

test('one who has gone is no more in it, and the rest of what the bot said follows', () => {
  const { sent, tape } = taped();
  for (let n = 0; n < 3; n += 1) {
    tape.overheard(ann, frame(100), RATE, RATE);
    tape.tick(RATE);
  }
  sent.length = 0;
  for (let n = 0; n < 3; n += 1) tape.said(frame(3), RATE);
  for (let n = 0; n < 3; n += 1) tape.tick(RATE);
  tape.said(frame(7), RATE);
  expect(sent).toEqual([103, FRAME, 3, 2 * FRAME, 7, FRAME]);
});

test('the sound of one whose room has another rate is as long as it was', () => {
  const { sent, tape } = taped();
  for (let n = 0; n < 10; n += 1) {
    tape.overheard(ann, new Int16Array(2 * FRAME).fill(100), 2 * RATE, RATE);
    tape.tick(RATE);
  }
  const lengths = sent.filter((_, n) => n % 2 === 1);
  expect(lengths.length).toBeGreaterThanOrEqual(8);
  expect(lengths).toEqual(lengths.map(() => FRAME));
});

test('without a recording nothing is kept', () => {
  const tape = new RoomTape(undefined);
  tape.overheard(ann, frame(100), RATE, RATE);
  tape.said(frame(5), RATE);
  expect(() => tape.tick(RATE)).not.toThrow();
});
