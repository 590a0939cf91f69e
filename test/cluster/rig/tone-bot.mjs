import { defineBot } from 'voicebot';
import { FrameProcessor, OutputAudioFrame, StartFrame } from 'voicebot/pipeline';

const RATE = 8_000;
/** The tone of this runner's bots. */
const HZ = Number(process.env.TONE_HZ);
const VOLUME = 8_000;
/** How long the call lasts at most, in milliseconds; then the bot hangs up. Default: the other party does. */
const LENGTH_MS = Number(process.env.TONE_MS ?? Number.POSITIVE_INFINITY);
/** Whom callers are transferred to, if anybody. */
const TRANSFER_TO = process.env.TONE_TRANSFER_TO;
const EVERY_MS = 200;
/** How far ahead of its time the tone is made. */
const AHEAD_MS = 600;

/** One second, which holds whole periods. */
const SECOND = Int16Array.from({ length: RATE }, (_, n) => VOLUME * Math.sin((2 * Math.PI * HZ * n) / RATE));

/** Holds one tone without a pause, so that every silence on the line is a fault. */
class Tone extends FrameProcessor {
  #timer;
  #startedAt = 0;
  #madeMs = 0;

  process(frame, direction) {
    this.push(frame, direction);
    if (!(frame instanceof StartFrame)) return;
    this.#startedAt = performance.now();
    this.#timer = setInterval(() => this.#hold(), EVERY_MS);
    this.#hold();
  }

  cleanup() {
    clearInterval(this.#timer);
  }

  #hold() {
    const dueMs = Math.min(performance.now() - this.#startedAt + AHEAD_MS, LENGTH_MS);
    for (; this.#madeMs < dueMs; this.#madeMs += EVERY_MS) {
      const at = ((this.#madeMs % 1_000) * RATE) / 1_000;
      this.push(new OutputAudioFrame(SECOND.slice(at, at + (EVERY_MS * RATE) / 1_000), RATE));
    }
  }
}

export default defineBot({
  async onCall(call) {
    if (Number.isFinite(LENGTH_MS)) setTimeout(() => call.hangUp(), LENGTH_MS).unref();
    if (TRANSFER_TO) void call.transfer(TRANSFER_TO);
    await call.run([new Tone()]);
  },
});
