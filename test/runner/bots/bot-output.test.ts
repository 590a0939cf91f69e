import { PassThrough } from 'node:stream';
import {
  MAX_LINE_LENGTH,
  PASSED_PER_SECOND,
  READ_PER_SECOND,
  readOutput,
} from '../../../src/runner/bots/bot-output.js';
import { settled } from '../call-races-harness.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => jest.useRealTimers());

const CHUNK = 64 * 1_024;
/** Whole lines, as much as is read at once. */
const FLOOD = Buffer.from(`${'x'.repeat(1_023)}\n`.repeat(CHUNK / 1_024));

function reading() {
  const stream = new PassThrough({ highWaterMark: CHUNK });
  const told: string[] = [];
  const lines: string[] = [];
  readOutput(stream, {
    line: (line) => lines.push(line),
    isCut: () => told.push('cut'),
    goesOn: (leftOut) => told.push(`goes on after ${leftOut}`),
  });
  const write = async (text: string | Buffer) => {
    stream.write(text);
    await settled();
  };
  /** Writes until the reader takes no more. @returns bytes taken */
  const flood = async (most: number) => {
    let taken = 0;
    for (; taken < most && !stream.isPaused(); taken += CHUNK) await write(FLOOD);
    return taken;
  };
  return { stream, told, lines, write, flood };
}

describe('lines', () => {
  test('come whole, however they are cut up on the way', async () => {
    const { stream, lines, write } = reading();
    const text = Buffer.from('one\r\ntwö\n\nthree');
    for (const byte of text) await write(Buffer.of(byte));
    expect(lines).toEqual(['one', 'twö', '']);
    stream.end();
    await settled();
    expect(lines).toEqual(['one', 'twö', '', 'three']);
  });

  test('that are too long are cut, whether they end or not', async () => {
    const { lines, write } = reading();
    await write(`${'a'.repeat(MAX_LINE_LENGTH + 1)}\nshort\n`);
    await write('b'.repeat(MAX_LINE_LENGTH + 1));
    await write('b'.repeat(MAX_LINE_LENGTH + 1));
    await write('\nlast\n');
    const cut = (letter: string) => `${letter.repeat(MAX_LINE_LENGTH)}…`;
    expect(lines).toEqual([cut('a'), 'short', cut('b'), 'last']);
  });
});

describe('a flood', () => {
  test('is cut off after so much in a second, which is told once', async () => {
    const { told, lines, flood } = reading();
    await flood(4 * PASSED_PER_SECOND);
    expect(lines.length).toBe(PASSED_PER_SECOND / 1_024);
    expect(told).toEqual(['cut']);
  });

  test('is slowed down when it does not end', async () => {
    const { told, flood } = reading();
    expect(await flood(100 * PASSED_PER_SECOND)).toBe(READ_PER_SECOND);
    jest.advanceTimersByTime(1_000);
    expect(await flood(100 * PASSED_PER_SECOND)).toBe(READ_PER_SECOND);
    expect(told).toEqual(['cut']);
  });

  test('is over after a second with less, from the next whole line on', async () => {
    const { told, lines, flood, write } = reading();
    const taken = await flood(2 * PASSED_PER_SECOND);
    lines.length = 0;
    jest.advanceTimersByTime(1_000);
    await write('left out\nbegun');
    expect(told).toEqual(['cut']);
    jest.advanceTimersByTime(1_000);
    expect(told).toEqual(['cut', `goes on after ${taken - PASSED_PER_SECOND + 'left out\nbegun'.length}`]);
    await write(' before\nwhole\n');
    expect(lines).toEqual(['whole']);
  });

  test('leaves nothing open when whoever wrote it is gone', async () => {
    const { stream, told, flood } = reading();
    await flood(2 * PASSED_PER_SECOND);
    stream.destroy();
    await settled();
    expect(told).toHaveLength(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('with less than that in a second is none', async () => {
    const { told, lines, flood } = reading();
    for (let second = 0; second < 10; second += 1) {
      await flood(PASSED_PER_SECOND);
      jest.advanceTimersByTime(1_000);
    }
    expect(lines.length).toBe((10 * PASSED_PER_SECOND) / 1_024);
    expect(told).toEqual([]);
  });
});
