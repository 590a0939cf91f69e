import { PassThrough } from 'node:stream';
import type { CallRecord } from '../../../src/call/call-record.js';
import { DialReport } from '../../../src/cli/dialout/dial-report.js';
import { Output } from '../../../src/terminal/output.js';
import { readAll } from '../../terminal/read-all.js';
import { CALL } from '../fake-runner.js';

/** What a person sees of a call that becomes this, without the times. */
function linesOf(...changes: Array<Partial<CallRecord>>): string[] {
  const stderr = new PassThrough();
  const report = new DialReport(new Output({ stdout: new PassThrough(), stderr }));
  for (const change of changes) report.changed({ ...CALL, ...change });
  const lines = readAll(stderr).split('\n');
  return lines.map((line) => line.trim().replace(/^[\d.]+ s +/, '')).filter(Boolean);
}

test('shows a takeover, a machine and every transfer', () => {
  const answered = { answeredAt: 2_000, answeredBy: 'machine', connectedAt: 2_000, attempt: 2 } as const;
  expect(
    linesOf(
      { ...answered, state: 'transferring' },
      { ...answered, state: 'starting' },
      { ...answered, state: 'transferring' },
      { ...answered, state: 'ended', endedAt: 3_000, endReason: 'voicemail' },
    ),
  ).toEqual([
    'answered',
    'a machine answered',
    'connected to the bot',
    'bot 2 takes over: an earlier one failed or is late',
    'transferring',
    'back from the transfer',
    'transferring',
  ]);
});

test('tells each step once, whatever else becomes known of the call', () => {
  const answered = { answeredAt: 2_000, connectedAt: 2_000, providerCallId: 'c-1' } as const;
  const person = { ...answered, answeredBy: 'person' } as const;
  expect(
    linesOf(
      { state: 'ringing' },
      { state: 'ringing', providerCallId: 'c-1' },
      { ...answered, state: 'connected' },
      { ...person, state: 'connected' },
      { ...person, state: 'transferring' },
      { ...person, state: 'connected' }, // the look between them came too late
      { ...person, state: 'ended', endedAt: 3_000, endReason: 'bot_ended' },
    ),
  ).toEqual(['ringing', 'answered', 'connected to the bot', 'transferring', 'back from the transfer']);
});
