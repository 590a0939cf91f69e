import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defineBot } from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';
import { commonNow } from '../processes/clock.js';
import { dist } from '../processes/dist.js';

const { encodeWav } = await dist<typeof import('../../src/base/audio/wav.js')>('base/audio/wav.js');

/** What a bot does, in this order. After `talk` the bench has the line deliver a burst. */
export type JoiningStep =
  | 'hold'
  | 'held'
  | 'bridge'
  | 'whisper'
  | 'whispered'
  | 'talk'
  | 'third'
  | 'third leaves'
  | 'end'
  | 'over';

/** Told when a step begins; milliseconds that all processes count alike. */
export interface ToldStep {
  readonly step: JoiningStep;
  readonly at: number;
}

const RATE = 8_000;
/** Each step is heard for as long. */
const STEP_MS = 2_000;
/** Longer than frames are left out after a burst. */
const TALK_MS = 8_000;

/** Whole periods: it begins and ends at rest. */
const tone = (hertz: number, amplitude: number, seconds: number) =>
  Int16Array.from({ length: seconds * RATE }, (_, at) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hertz * at) / RATE)),
  );

const WHISPER = new OutputAudioFrame(tone(500, 5_000, 3), RATE);
const hold = join(mkdtempSync(join(tmpdir(), 'voicebot-bench-')), 'hold.wav');
process.once('exit', () => rmSync(dirname(hold), { recursive: true }));
writeFileSync(hold, encodeWav({ encoding: 'L16', channels: [tone(250, 6_000, 1)], sampleRate: RATE }));

function tell(step: JoiningStep): void {
  console.log(JSON.stringify({ step, at: commonNow() } satisfies ToldStep));
}

/** Takes a caller through every joint between two sounds that there is. */
export default defineBot({
  async onCall(call) {
    tell('hold');
    const colleague = await call.consult('+12025551001', { hold });
    const third = await call.consult('+12025551002', { hold });
    tell('held');
    await delay(STEP_MS);
    tell('bridge');
    const bridge = await call.bridge(colleague);
    await delay(STEP_MS);
    tell('whisper');
    await bridge.whisper(WHISPER, { to: 'both' });
    tell('whispered');
    await delay(STEP_MS);
    tell('talk');
    await delay(TALK_MS);
    tell('third');
    await bridge.add(third);
    await delay(STEP_MS);
    tell('third leaves');
    await third.hangUp();
    await delay(STEP_MS);
    tell('end');
    await bridge.end('colleague');
    await delay(STEP_MS);
    tell('over');
  },
});
