import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CampaignProgress } from '../../../src/call/campaign-progress.js';
import { CampaignReport, progressLine } from '../../../src/cli/campaign/campaign-report.js';
import { Output } from '../../../src/terminal/output.js';

const CAMPAIGN = {
  id: 'c1',
  name: 'contacts.csv',
  condition: 'running',
  rows: 100,
  done: 90,
  running: 0,
  outcomes: { bot_ended: 40, no_answer: 30, uncertain: 12, voicemail: 8 },
  faults: 12,
  problem: 'the tunnel is down',
} as unknown as CampaignProgress;

test('the line of a campaign fits a terminal up to the reason why nothing moves', () => {
  const line = progressLine(CAMPAIGN);
  expect(line.slice(0, 79)).toContain('waits: the tunnel is down');
  expect(line).toContain('the bot hung up: 40  the callee did not answer: 30  it is not known');
});

test('a row that waits for its time is told while others talk, and outcomes in the words of the page', () => {
  const waitingUntil = new Date().setHours(12, 16, 30, 0);
  const outcomes = { caller_hung_up: 1 } as const;
  const line = progressLine({ ...CAMPAIGN, problem: '', running: 1, waiting: 1, waitingUntil, outcomes });
  expect(line).toContain('1 on the line  1 waits to be called (next at 12:16:30)  the person called hung up: 1');
});

test('a row that waits for the hours of its country is told with them', () => {
  const waitingUntil = new Date().setHours(12, 16, 30, 0);
  const line = progressLine({ ...CAMPAIGN, problem: '', waiting: 2, waitingUntil, waitingFor: 'calling hours of FR' });
  expect(line).toContain('2 wait to be called (next at 12:16:30: calling hours of FR)');
});

test('what a run beside it tells stands above the line of the campaign', async () => {
  const stderr = Object.assign(new PassThrough(), { columns: 80 });
  const output = new Output({ stdout: new PassThrough(), stderr, canRewriteLines: true });
  const report = new CampaignReport(output);
  const run = output.withoutLastLine();
  report.changed(CAMPAIGN);
  expect(run.canRewrite).toBe(false);
  run.line('call 12345678  ringing');
  report.close();
  stderr.end();
  const written = (await text(stderr)).split('\u001b[2K');
  expect(written.map((piece) => piece.replaceAll('\r', ''))).toEqual([
    '',
    expect.stringMatching(/^\[=+ +\] 90 of 100 {2}waits/),
    expect.stringMatching(/^call 12345678 {2}ringing\n\[=+ +\] 90 of 100 {2}waits/),
    '',
  ]);
});
