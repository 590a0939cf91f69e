import type { RunnerArguments } from 'voicebot';
import {
  DtmfFrame,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  OutputAudioFrame,
  StartFrame,
  ToneSource,
} from 'voicebot/pipeline';
import { openTransport, pipelineOn } from './pipeline-on.js';

const SPEECH_RATE = 24_000;
const BURST_EVERY_MS = 250;

ToneSource.hold(SPEECH_RATE); // made now, for all calls, and not while the first caller waits

/** Speaks like a speech service: at once when started, then in bursts of uneven length, faster than real time. */
class Talker extends FrameProcessor {
  readonly #voice = ToneSource.hold(SPEECH_RATE);
  #timer: NodeJS.Timeout | undefined;
  #bursts = 0;

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
    if (frame instanceof StartFrame) this.#speak();
    if (!(frame instanceof DtmfFrame)) return;
    this.interrupt();
    this.#speak();
  }

  override cleanup(): void {
    clearInterval(this.#timer);
  }

  #speak(): void {
    clearInterval(this.#timer);
    this.#burst();
    this.#timer = setInterval(() => this.#burst(), BURST_EVERY_MS);
  }

  #burst(): void {
    this.#bursts += 1;
    const lengthMs = 200 + (this.#bursts % 7) * 50;
    this.push(new OutputAudioFrame(this.#voice.read((SPEECH_RATE * lengthMs) / 1_000), SPEECH_RATE));
  }
}

export async function bot(args: RunnerArguments): Promise<void> {
  await pipelineOn(args, await openTransport(args, 'Talker'), new Talker());
}
