import { deferred } from '../../base/async/deferred.js';
import {
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  StartFrame,
  TranscriptionFrame,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { VoicemailDetector } from './voicemail-detector.js';

/** Listens for a machine that has answered a call, and lets everything pass. */
export class AnswererWatch extends FrameProcessor {
  readonly #machine = deferred<void>();
  #detector: VoicemailDetector | undefined;

  /** Resolves when a machine is known to have answered. */
  get machine(): Promise<void> {
    return this.#machine.promise;
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) this.#detector = new VoicemailDetector(frame.audioInSampleRate);
    if (direction === 'downstream') this.#hear(frame);
    this.push(frame, direction);
  }

  #hear(frame: Frame): void {
    if (frame instanceof InputAudioFrame) this.#detector?.hearAudio(frame.pcm);
    else if (frame instanceof TranscriptionFrame) this.#detector?.hearWords(frame.text);
    else if (frame instanceof InterimTranscriptionFrame) this.#detector?.hearWords(frame.text, true);
    else return;
    if (this.#detector?.evidence !== undefined) this.#machine.resolve();
  }
}
