import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { Resampler } from '../../base/audio/resampler.js';
import { mutationOf, noteMutation } from '../../call/mutation.js';
import type { CallRunnerLink } from '../../call/runner-link.js';
import {
  CallerJoinedFrame,
  CancelFrame,
  DtmfFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  StartFrame,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { EarlyHangUp } from './early-hang-up.js';
import { keyTaken } from './mutated-keys.js';

/** How long the pipeline may go on after the destination of a transfer has answered, in milliseconds. */
const FAREWELL_LIMIT_MS = 5_000;

/** How long the pipeline gets silence in place of a caller whom it is not to hear, in milliseconds of audio: what they were saying comes to its end. */
const QUIET_MS = 1_000;
const NO_AUDIO = new Int16Array(0);

/** The head of a pipeline: what the caller says comes in here, and that there is no caller any more. */
export abstract class CallInput extends FrameProcessor {
  #wireRate = 0;
  #sampleRate = 0;
  #resampler: Resampler | undefined;
  #isListening = false;
  /** What the caller says and presses does not reach the pipeline. */
  #isDeaf = false;
  /** Silence that it gets first, in milliseconds. */
  #quietMs = 0;
  #farewell: NodeJS.Timeout | undefined;
  #late: NodeJS.Timeout | undefined;
  /** Undefined but in a bot that a test breaks on purpose. */
  readonly #early = EarlyHangUp.ofThisProcess((frame) => this.push(frame));

  /**
   * @param isEnabled false: the pipeline gets no audio; the call's tape hears it all the same
   * @param runner where everybody in the pipeline notes what happens in the call, and what records it
   */
  constructor(
    private readonly isEnabled: boolean,
    private readonly runner: Pick<CallRunnerLink, 'timeline' | 'standIns' | 'tape'> | undefined,
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) {
      frame.timeline = this.runner?.timeline;
      frame.standIns = this.runner?.standIns;
    }
    this.push(frame, direction);
    this.#early?.see(frame, this.runner?.timeline);
    if (frame instanceof StartFrame) this.start(frame);
  }

  override cleanup(): void {
    this.#isListening = false;
    clearTimeout(this.#farewell);
    clearTimeout(this.#late);
  }

  /** Who the bot serves is there. */
  callerJoined(): void {
    if (!this.#isListening) return;
    this.runner?.timeline?.note({ type: 'caller_joined' });
    const late = mutationOf('greeting_late');
    if (late) noteMutation(this.runner?.timeline, late);
    if (late) this.#late = setTimeout(() => this.push(new CallerJoinedFrame()), late.ms);
    else this.push(new CallerJoinedFrame());
  }

  /** Whether the pipeline hears what the caller says and presses; the call's tape does anyway. */
  attend(isListening: boolean): void {
    if (this.#isDeaf !== isListening) return;
    this.#isDeaf = !isListening;
    this.#quietMs = QUIET_MS;
    this.forgetAudio();
  }

  /** There is no call any more: the pipeline ends, unless it has not started or is over. Told once. */
  callEnded(): void {
    if (!this.#isListening) return;
    this.#isListening = false;
    this.push(new CancelFrame('call_ended'));
  }

  /** The destination of a transfer talks to the caller: the pipeline ends soon, unless it ends itself until then. */
  callTransferred(): void {
    if (this.#isListening) this.#farewell = setTimeout(() => this.callEnded(), FAREWELL_LIMIT_MS);
  }

  /** The pipeline has started. */
  protected abstract start(frame: StartFrame): void;

  /** The caller has pressed a key. @param tell is told of it before the pipeline */
  press(digit: DtmfDigit, tell?: (digit: DtmfDigit) => void): void {
    this.runner?.timeline?.note({ type: 'keys', direction: 'in', keys: digit });
    if (this.#isDeaf) return;
    const taken = keyTaken(digit, this.runner?.timeline);
    if (taken === undefined) return;
    tell?.(taken);
    this.#early?.heard();
    this.push(new DtmfFrame(taken));
  }

  /** From here on audio comes in. Both rates in hertz. */
  protected listen(wireRate: number, pipelineRate: number): void {
    this.#sampleRate = pipelineRate;
    this.changeWireRate(wireRate);
    this.#isListening = true;
  }

  /** The wire carries audio of this rate from here on, in hertz. */
  protected changeWireRate(wireRate: number): void {
    if (wireRate === this.#wireRate) return;
    this.#wireRate = wireRate;
    this.#resampler = wireRate === this.#sampleRate ? undefined : new Resampler(wireRate, this.#sampleRate);
  }

  /** What comes next does not continue what was heard before. */
  protected forgetAudio(): void {
    this.#resampler?.reset();
  }

  /** @param wirePcm at the rate of the wire */
  protected pushAudio(wirePcm: Int16Array): void {
    this.runner?.tape?.received(wirePcm, this.#wireRate);
    if (!this.isEnabled) return;
    const heard = this.#isDeaf ? this.#quiet(wirePcm.length) : wirePcm;
    const pcm = this.#resampler ? this.#resampler.process(heard) : heard;
    if (pcm.length > 0) this.push(new InputAudioFrame(pcm, this.#sampleRate));
  }

  /** @returns as many samples of silence, or none */
  #quiet(samples: number): Int16Array {
    if (this.#quietMs <= 0) return NO_AUDIO;
    this.#quietMs -= (samples * 1_000) / this.#wireRate;
    return new Int16Array(samples);
  }

  protected pushError(error: Error, isFatal: boolean): void {
    this.push(new ErrorFrame(error, isFatal, this.name), 'upstream');
  }
}
