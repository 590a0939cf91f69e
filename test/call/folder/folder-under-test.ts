import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';

export const STARTED_AT = 1_795_432_051_829;
export const CALL_ID = 'd8232eb7-2f5f-41af-a6e4-cb7c2b296e6f';

export const RECORD: CallRecord = {
  id: CALL_ID,
  direction: 'inbound',
  from: '+12025550199',
  to: '+12025550100',
  state: 'ended',
  attempt: 1,
  startedAt: STARTED_AT,
  answeredAt: STARTED_AT + 5,
  connectedAt: STARTED_AT + 60,
  endedAt: STARTED_AT + 2_000,
  endReason: 'caller_hung_up',
};

const { endedAt: _, endReason: __, ...LIVE } = RECORD;

/** What a call of two seconds notes. */
export const EVENTS: readonly TimelineEvent[] = [
  { at: STARTED_AT, source: 'runner', type: 'record', record: { ...LIVE, state: 'ringing' } },
  {
    at: STARTED_AT + 60,
    source: 'bot',
    bot: 1,
    type: 'recording',
    is: 'started',
    startedAt: STARTED_AT + 50,
    sampleRate: 8_000,
  },
  {
    at: STARTED_AT + 900,
    source: 'bot',
    bot: 1,
    type: 'said',
    speaker: 'bot',
    text: 'Hello!',
    startedAt: STARTED_AT + 100,
  },
  { at: STARTED_AT + 2_000, source: 'runner', type: 'record', record: RECORD },
];

const AUDIO = encodeWav({
  sampleRate: 8_000,
  channels: [new Int16Array(16_000), new Int16Array(16_000)],
  encoding: 'L16',
});

/** A folder whose files can be damaged. Its files are old: nobody adds to it. */
export class FolderUnderTest {
  readonly path: string;

  constructor(directory: string, name = `2026-11-23-${CALL_ID}`) {
    this.path = join(directory, name);
    mkdirSync(this.path, { recursive: true });
    this.write('call.json', JSON.stringify({ version: 1, ...RECORD }));
    this.write('events.ndjson', EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(''));
    this.write('audio.wav', AUDIO);
    const entries = [{ speaker: 'bot', text: 'Hello!', startMs: 50, endMs: 850 }];
    this.write('transcript.json', JSON.stringify({ version: 1, entries }));
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.path, name), content);
    utimesSync(join(this.path, name), STARTED_AT / 1_000, STARTED_AT / 1_000);
  }

  /** Changes the bytes of a file. */
  change(name: string, change: (bytes: Buffer) => Uint8Array): void {
    this.write(name, change(readFileSync(join(this.path, name))));
  }
}
