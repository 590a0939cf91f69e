import { PassThrough } from 'node:stream';
import type { CallId } from '../../../src/call/call-id.js';
import type { TimelineEntry } from '../../../src/call/timeline.js';
import { TalkReport } from '../../../src/cli/run/talk-report.js';
import { Output } from '../../../src/terminal/output.js';
import { readAll } from '../../terminal/read-all.js';

function told(...entries: TimelineEntry[]): string[] {
  const stderr = new PassThrough();
  const report = new TalkReport(new Output({ stdout: new PassThrough(), stderr }));
  for (const entry of entries) report.see('0123456789' as CallId, { at: 1, source: 'bot', ...entry } as never);
  return readAll(stderr).split('\n').filter(Boolean);
}

test('tells what both sides say, and what of it was not heard', () => {
  expect(
    told(
      { type: 'said', speaker: 'caller', text: 'Are you open?' },
      { type: 'said', speaker: 'bot', text: 'Yes, we', unheard: 'are open.', wasInterrupted: true },
    ),
  ).toEqual([
    'call 01234567  caller Are you open?',
    'call 01234567  bot    Yes, we [not heard: are open.] (interrupted)',
  ]);
});

test('on a terminal no word breaks, and what goes on below begins where the words do', () => {
  const stderr = Object.assign(new PassThrough(), { columns: 80 });
  const now = () => new Date(2026, 0, 1, 9, 5, 7);
  const report = new TalkReport(new Output({ stdout: new PassThrough(), stderr, stamp: 'time', now }));
  const text = 'Press 1 for the time, 2 for an echo, 0 for a person, or 9 to hang up. Thank you for calling.';
  report.see('0123456789' as CallId, { at: 1, source: 'bot', type: 'said', speaker: 'bot', text } as never);
  expect(readAll(stderr)).toBe(
    [
      '09:05:07 call 01234567  bot    Press 1 for the time, 2 for an echo, 0 for a',
      '                               person, or 9 to hang up. Thank you for calling.\n',
    ].join('\n'),
  );
});

test('on a terminal the steps of an answer break between words', () => {
  const stderr = Object.assign(new PassThrough(), { columns: 80 });
  const report = new TalkReport(new Output({ stdout: new PassThrough(), stderr, stamp: 'time' }));
  const steps = { finalTranscriptMs: 210, modelRequestedMs: 211, firstTokenMs: 640, firstAudioMs: 900 };
  const turn = { type: 'turn_ended', startedAt: 1, turn: 1, since: 'caller_stopped', wasInterrupted: false, ...steps };
  report.see('0123456789' as CallId, { at: 1, source: 'bot', ...turn } as never);
  const [first = '', ...more] = readAll(stderr).trimEnd().split('\n');
  expect(first).toContain("turn 1: the caller's last sound");
  expect(first.length).toBeLessThanOrEqual(80);
  expect(more).toEqual(more.map(() => expect.stringMatching(/^ {24}\S/)));
  expect(more.at(-1)).toContain('+900 ms');
});

test('tells how long each answer took, which functions ran, and which keys were pressed', () => {
  expect(
    told(
      {
        type: 'turn_ended',
        startedAt: 1,
        turn: 2,
        since: 'caller_stopped',
        firstAudioMs: 310.2,
        wasInterrupted: false,
      },
      { type: 'tool_called', call: 'a', name: 'hours', input: { day: 'Sunday' } },
      { type: 'tool_returned', call: 'a', name: 'hours', output: null, isError: true, ms: 1 },
      { type: 'keys', direction: 'in', keys: '1' },
    ),
  ).toEqual([
    "call 01234567  turn 2: the caller's last sound, first audio +310 ms",
    'call 01234567  tool   hours({"day":"Sunday"})',
    'call 01234567  tool   hours failed null',
    'call 01234567  keys   the caller pressed 1',
  ]);
});

test('leaves the rest to the page and the folder', () => {
  expect(told({ type: 'phase', phase: 'talking' }, { type: 'wire', direction: 'in', name: 'mark' })).toEqual([]);
});

test('tells that another service goes on', () => {
  const from = { provider: 'Deepgram', model: 'nova-3' };
  const to = { provider: 'ElevenLabs' };
  expect(told({ type: 'service_switched', does: 'speech_to_text', from, to, why: 'Deepgram: 503', ms: 340 })).toEqual([
    'call 01234567  switch ElevenLabs listens in place of Deepgram, after 0.3 s',
  ]);
});

test('tells that the call goes on in another language, and not in which it begins', () => {
  expect(told({ type: 'language_changed', language: 'de' })).toEqual([]);
  expect(told({ type: 'language_changed', language: 'es', from: 'de' })).toEqual([
    'call 01234567  bot    goes on in Spanish (es)',
  ]);
});
