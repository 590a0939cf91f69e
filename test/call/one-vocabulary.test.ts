import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { type CallDirection, END_REASONS, type EndReason } from '../../src/call/call.js';
import { asCallId } from '../../src/call/call-id.js';
import type { CallRecord } from '../../src/call/call-record.js';
import type { CampaignProgress } from '../../src/call/campaign-progress.js';
import { endWords, stateWords } from '../../src/call/end-text.js';
import { phoneEndText } from '../../src/call/phone-end-text.js';
import { conclusionOf } from '../../src/call/view/conclusion.js';
import { CallAudio } from '../../src/cli/call/call-audio.js';
import { CallReport } from '../../src/cli/call/call-report.js';
import { stateOf } from '../../src/cli/calls/call-text.js';
import { CampaignReport } from '../../src/cli/campaign/campaign-report.js';
import { DialReport } from '../../src/cli/dialout/dial-report.js';
import { RunReport } from '../../src/cli/run/run-report.js';
import { RealCall } from '../../src/lab/mcp/real-call.js';
import type { Runner } from '../../src/runner/runner.js';
import type { RunnerEvents } from '../../src/runner/runner-options.js';
import type { RunnerClient } from '../../src/runners/runner-client.js';
import { Output } from '../../src/terminal/output.js';
import { readAll } from '../terminal/read-all.js';

const record = (endReason: EndReason, direction: CallDirection): CallRecord => ({
  id: asCallId('c-1'),
  direction,
  from: '+12025550199',
  to: '+12025550100',
  state: 'ended',
  attempt: 1,
  startedAt: 1_000,
  answeredAt: 2_000,
  connectedAt: 2_000,
  endedAt: 9_000,
  endReason,
});
const SILENT = { acts: [], talksOver: false, limitMs: 1_000, leavesWhenDone: false, recordPath: undefined } as const;
const END = { callId: 'c-1', cause: 'Normal Hangup', code: 4_000, source: 'API Request', durationMs: 7_000 };

/** What a report writes for people. */
function written(report: (output: Output) => void): string {
  const stderr = new PassThrough();
  report(new Output({ stdout: new PassThrough(), stderr }));
  return readAll(stderr);
}

const campaignOf = (outcomes: CampaignProgress['outcomes']) =>
  ({ id: 'k-1', name: 'contacts.csv', condition: 'done', rows: 3, done: 3, outcomes, faults: 0 }) as CampaignProgress;

async function followed(record: CallRecord): Promise<string> {
  const follow: RunnerClient['follow'] = async (_id, note) =>
    note({ type: 'record', record, at: 9_000, source: 'runner' });
  const call = new RealCall({ follow }, record.id, 'http://127.0.0.1:7860');
  await call.ended(5_000, new AbortController().signal);
  return String(call.end);
}

/** Where people read why a call has ended, as each of these places writes it. */
const PLACES: Readonly<Record<string, (call: CallRecord) => string | Promise<string>>> = {
  'the terminal of run': (call) =>
    written((output) => {
      const runner = new EventEmitter<RunnerEvents>() as unknown as Runner;
      new RunReport(output, runner);
      runner.emit('call', call);
    }),
  'voicebot dialout': (call) => written((output) => new DialReport(output).ended(call, true)),
  'voicebot call': ({ endReason }) =>
    written((output) => new CallReport(output, new CallAudio(SILENT)).ended(END, { succeeded: true, endReason })),
  'voicebot calls': (call) => stateOf(call),
  'the results of a campaign': ({ endReason = 'bot_ended' }) =>
    written((output) => new CampaignReport(output).over(campaignOf({ [endReason]: 3 }), 'results.csv')),
  'an agent in the lab': followed,
  'the phone of the page': (call) => phoneEndText(END, call),
  'the list of the page': (call) => stateWords(call),
  'the page of a call': (call) => conclusionOf(call, []).why,
};

/** A phone on this machine rings the bot; a campaign calls people. */
const ONE_DIRECTION: Readonly<Record<string, CallDirection>> = {
  'voicebot call': 'inbound',
  'the results of a campaign': 'outbound',
};

test.each(END_REASONS)('%s is one sentence, wherever people read it', async (endReason) => {
  for (const direction of ['inbound', 'outbound'] as const) {
    const sentence = endWords(endReason, direction);
    const call = record(endReason, direction);
    for (const [place, tell] of Object.entries(PLACES)) {
      if (ONE_DIRECTION[place] && ONE_DIRECTION[place] !== direction) continue;
      const told = (await tell(call)).toLowerCase();
      expect([place, told]).toEqual([place, expect.stringContaining(sentence.toLowerCase())]);
    }
  }
});

test('a phone that does not learn it from the runner has the word of its carrier', () => {
  expect(phoneEndText(END)).toBe('the server hung up through the API');
  expect(phoneEndText({ ...END, cause: 'Error Reaching Answer URL', code: 7_011, source: 'Error' })).toBe(
    'Error Reaching Answer URL (code 7011, by Error)',
  );
});
