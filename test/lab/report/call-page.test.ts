import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { callPage } from '../../../src/lab/report/call-page.js';
import { keepCall, madeCall } from '../../call/view/made-call.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-call-page-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const HEAD = { title: '</title><b>', back: '../index.html', tone: 'bad', notes: ['expected  <i>'] } as const;
const dataIn = (page: string) => JSON.parse(/id="call-data">(.*)<\/script>/.exec(page)?.[1] ?? '');

test('has the events, the waveform and the sound of a call in it, and asks nobody for anything', async () => {
  const call = madeCall({ question: 'Open </script><script>alert(1)</script> today?' });
  const page = await callPage(await readCallFolder(keepCall(home, call)), HEAD);
  const { record, events, recording, notes, errors } = dataIn(page);
  expect(record.id).toBe(call.record.id);
  expect(JSON.stringify(events)).toContain('Open </script><script>alert(1)</script> today?');
  expect(Buffer.from(recording.audio, 'base64').toString('latin1', 0, 4)).toBe('RIFF');
  expect(recording.peaks.durationMs).toBeGreaterThan(40_000);
  expect([notes, errors]).toEqual([['expected  <i>'], {}]);
  expect(page).toContain('<title>&lt;/title&gt;&lt;b&gt;</title>');
  expect(page).toMatch(/content="default-src &#39;none&#39;; script-src &#39;sha256-/);
  expect(page).not.toContain('connect-src');
  // The data, and the code of the page.
  expect(page.match(/<script/g)).toHaveLength(2);
});

test('says what the documentation says of the error that ended the call', async () => {
  const call = madeCall({ record: { endReason: 'bot_crashed' } });
  const failed = {
    type: 'bot_done',
    bot: 1,
    outcome: 'threw',
    at: call.record.startedAt + 46_000,
    source: 'runner',
  } as const;
  const line = 'bot failed in call 0b0d3f5e (attempt 1): VoicebotError [VB_PROVIDER_FAILED]: no voice';
  const output = { type: 'output', line, at: failed.at - 1, source: 'runner' } as const;
  const kept = keepCall(home, { ...call, events: [...call.events, output, failed] });
  const { errors } = dataIn(await callPage(await readCallFolder(kept), HEAD));
  const section = { summary: expect.any(String), cause: expect.any(String), cure: expect.any(String) };
  expect(errors).toEqual({ VB_PROVIDER_FAILED: section });
});

test('is made of what there is where nothing was recorded', async () => {
  const folder = keepCall(home, madeCall());
  rmSync(join(folder, 'audio.wav'));
  const { recording, kept } = dataIn(await callPage(await readCallFolder(folder), HEAD));
  expect(recording).toBeUndefined();
  expect(kept.missing.join()).toContain('audio.wav');
});
