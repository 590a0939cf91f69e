import fc from 'fast-check';
import { ServerSentEvents } from '../../../src/base/http/event-stream.js';

const readAll = (...pieces: string[]) => {
  const events = new ServerSentEvents();
  return pieces.flatMap((piece) => events.read(piece));
};

test('reads events with and without a name, several lines of data, and the id that stays', () => {
  expect(readAll(': hello\n\nid: 7\nevent: call\ndata: a\ndata:b\n\ndata: c\n\nevent: nothing\n\n')).toEqual([
    { event: 'call', data: 'a\nb', id: '7' },
    { event: 'message', data: 'c', id: '7' },
  ]);
});

test('an event that is not complete is not told', () => {
  expect(readAll('data: a\n')).toEqual([]);
  expect(readAll('data: a\n', '\n')).toHaveLength(1);
});

test('it does not matter where the text is cut, or how lines end', () => {
  const text = 'event: call\ndata: {"a":1}\nid: 3\n\n: \n\ndata\ndata: x: y\n\n';
  const whole = readAll(text);
  expect(whole).toHaveLength(2);
  fc.assert(
    fc.property(fc.constantFrom('\n', '\r\n', '\r'), fc.array(fc.nat(80)), (end, cuts) => {
      const written = `${text.replaceAll('\n', end)}:`; // a carriage return at the end may be half of a line's end
      const places = [0, ...cuts.toSorted((a, b) => a - b), written.length];
      expect(readAll(...places.slice(1).map((to, index) => written.slice(places[index], to)))).toEqual(whole);
    }),
  );
});
