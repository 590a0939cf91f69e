import type { StreamPlace } from '../processes/carrier.js';
import { CarrierStream, FRAME_MS } from '../processes/carrier-stream.js';
import { commonTime } from '../processes/clock.js';
import { dist } from '../processes/dist.js';

const { decodeMulaw, encodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');

const RATE = 8_000;
const FRAME = (RATE * FRAME_MS) / 1_000;
const AMPLITUDE = 8_000;
/** What a line makes up for without a gap, in milliseconds: longer, and silence is heard. */
const BRIDGED_MS = 60;

/** The largest step between neighbouring samples within 20 ms that were heard, or from the sample before. */
export interface HeardStep {
  /** When it was heard, in milliseconds that all processes count alike. */
  readonly at: number;
  /** Of 32767. */
  readonly step: number;
  /** Nothing more came, and the sound broke off: where it does so within a sound, a process stood still. */
  readonly isSilence: boolean;
}

const msOf = (samples: number): number => (samples * 1_000) / RATE;

interface HeardFrame {
  /** Monotonic time at which it began to be played. */
  readonly at: number;
  pcm: Int16Array;
}

/** A telephone that says a smooth tone, and keeps what it hears as it is played. */
export class TonedPhone extends CarrierStream {
  readonly #heard: HeardFrame[] = [];
  #said = 0;

  constructor(
    place: StreamPlace,
    private readonly hertz: number,
  ) {
    super(place);
  }

  override sendFrame(): void {
    if (this.isOpen) this.#sayOne();
  }

  /** So many frames come at once, as after a stall of a line. */
  sayAhead(frames: number): void {
    for (let frame = 0; frame < frames; frame += 1) this.#sayOne();
  }

  /** What has been heard so far, up to the silence after it. */
  get steps(): HeardStep[] {
    let before = 0;
    let endedAt = Number.NEGATIVE_INFINITY;
    const steps: HeardStep[] = [];
    const fallSilent = () => {
      steps.push({ at: commonTime(endedAt), step: Math.abs(before), isSilence: true });
      before = 0;
    };
    for (const { at, pcm } of this.#heard) {
      if (at - endedAt > BRIDGED_MS) fallSilent();
      let step = 0;
      for (const sample of pcm) {
        step = Math.max(step, Math.abs(sample - before));
        before = sample;
      }
      steps.push({ at: commonTime(at), step, isSilence: false });
      endedAt = at + msOf(pcm.length);
    }
    fallSilent();
    return steps;
  }

  protected override hear(payload: Uint8Array): void {
    this.#heard.push({ at: this.playedAt - msOf(payload.length), pcm: decodeMulaw(payload) });
  }

  /** What was not played yet is not heard. */
  override clear(): void {
    const now = performance.now();
    while ((this.#heard.at(-1)?.at ?? now) > now) this.#heard.pop();
    const last = this.#heard.at(-1);
    if (last) last.pcm = last.pcm.subarray(0, Math.round(((now - last.at) * RATE) / 1_000));
    super.clear();
  }

  #sayOne(): void {
    const tone = Int16Array.from({ length: FRAME }, (_, at) =>
      Math.round(AMPLITUDE * Math.sin((2 * Math.PI * this.hertz * (this.#said + at)) / RATE)),
    );
    this.#said += FRAME;
    this.say(encodeMulaw(tone));
  }
}
