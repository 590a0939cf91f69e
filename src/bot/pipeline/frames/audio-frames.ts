import { DataFrame } from './frame.js';

/** What the caller said. Kept by interruptions: the words that interrupt a bot are not noise. */
export class InputAudioFrame extends DataFrame {
  /**
   * @param pcm linear samples, mono; usually 20 ms
   * @param sampleRate hertz
   */
  constructor(
    readonly pcm: Int16Array,
    readonly sampleRate: number,
  ) {
    super();
  }

  override get isInterruptible(): boolean {
    return false;
  }
}

/** What the bot wants the caller to hear, of any length. */
export class OutputAudioFrame extends DataFrame {
  /**
   * @param pcm linear samples, mono; the transport cuts them into 20 ms
   * @param sampleRate hertz; the transport resamples where the wire has another rate
   */
  constructor(
    readonly pcm: Int16Array,
    readonly sampleRate: number,
  ) {
    super();
  }
}
