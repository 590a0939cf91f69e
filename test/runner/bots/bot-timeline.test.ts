import type { TimelineEvent } from '../../../src/call/timeline.js';
import { BotTimeline } from '../../../src/runner/bots/bot-timeline.js';

let told: Array<readonly TimelineEvent[]>;
let timeline: BotTimeline;
beforeEach(() => {
  jest.useFakeTimers();
  told = [];
  timeline = new BotTimeline(2, (events) => told.push(events));
});
afterEach(() => jest.useRealTimers());

const types = () => told.map((events) => events.map(({ type }) => type));

test('events travel some at a time, in order, with their time and the bot that noted them', () => {
  timeline.note({ type: 'caller_joined' }, 5);
  timeline.note({ type: 'speech_started', speaker: 'bot' });
  expect(told).toEqual([]);
  jest.advanceTimersByTime(50);
  expect(types()).toEqual([['caller_joined', 'speech_started']]);
  expect(told[0]?.[0]).toEqual({ at: 5, source: 'bot', bot: 2, type: 'caller_joined' });
  expect(Math.abs((told[0]?.[1]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
});

test('a message of the wire waits for others, and goes with the next event that somebody waits for', () => {
  timeline.note({ type: 'wire', direction: 'in', name: 'mark' });
  jest.advanceTimersByTime(900);
  expect(told).toEqual([]);
  timeline.note({ type: 'caller_joined' });
  jest.advanceTimersByTime(50);
  expect(types()).toEqual([['wire', 'caller_joined']]);
  timeline.note({ type: 'wire', direction: 'in', name: 'mark' });
  jest.advanceTimersByTime(1_000);
  expect(types()).toEqual([['wire', 'caller_joined'], ['wire']]);
});

test('what waits is told at the end of the call', () => {
  timeline.note({ type: 'caller_joined' });
  timeline.flush();
  timeline.flush();
  jest.advanceTimersByTime(2_000);
  expect(types()).toEqual([['caller_joined']]);
});

test('sinks get each event at once, and may surround the work of a function call', () => {
  const seen: string[] = [];
  timeline.sinks.push(
    { note: ({ type }) => seen.push(type) },
    {
      note: () => {},
      during: (step, work) => {
        seen.push(`begin ${JSON.stringify(step)}`);
        const result = work();
        seen.push('end');
        return result;
      },
    },
  );
  timeline.note({ type: 'caller_joined' });
  expect(timeline.during({ call: 'id-1' }, () => 'result')).toBe('result');
  expect(seen).toEqual(['caller_joined', 'begin {"call":"id-1"}', 'end']);
});

test('what shows the words as they are spoken is told and kept nowhere; in a call without a recording it is not told', () => {
  const kept: string[] = [];
  timeline.sinks.push({ note: ({ type }) => kept.push(type) });
  timeline.note({ type: 'hold_started' });
  timeline.note({ type: 'interim_transcript', text: 'Ah' });
  timeline.secrecy = { hidesTalk: true, maskDigits: false };
  timeline.note({ type: 'interim_transcript', text: 'My card is' });
  timeline.note({ type: 'word_times', utterance: 1, from: 0, words: [{ text: 'Yes', startsAt: 1, endsAt: 2 }] });
  timeline.flush();
  expect(kept).toEqual([]);
  expect(told.flat()).toMatchObject([
    { type: 'hold_started', unkept: true },
    { type: 'interim_transcript', text: 'Ah', unkept: true },
  ]);
});

describe('what services are used for', () => {
  const used = (count: number) =>
    timeline.note({
      type: 'usage',
      used: [{ does: 'language_model', provider: 'OpenAI', model: 'a', units: { input_token: count } }],
    });
  const counts = () =>
    told
      .flat()
      .flatMap((event) => (event.type === 'usage' ? event.used : []))
      .map(({ units }) => units.input_token);

  test('is summed up, and told every 25 seconds at most', () => {
    for (let seconds = 0; seconds < 70; seconds += 1) {
      used(1);
      jest.advanceTimersByTime(1_000);
    }
    timeline.tellUsage();
    timeline.flush();
    expect(counts()).toEqual([25, 25, 20]);
  });

  test('is told at the end, once', () => {
    used(5);
    used(6);
    timeline.tellUsage();
    timeline.tellUsage();
    timeline.flush();
    jest.advanceTimersByTime(120_000);
    expect(counts()).toEqual([11]);
  });

  test('is kept in the folder as it is told', () => {
    const kept: TimelineEvent[] = [];
    timeline.secrecy = { hidesTalk: true, maskDigits: true };
    timeline.sinks.push({ note: (event) => kept.push(event) });
    used(5);
    expect(kept).toEqual([]);
    timeline.tellUsage();
    expect(kept).toMatchObject([{ type: 'usage', bot: 2 }]);
  });
});
