import type { CallRunnerLink } from '../../call/runner-link.js';
import { objectsToRecording } from '../conversation/objections.js';
import { ownSentence } from '../conversation/own-sentences.js';
import { Utterances } from '../conversation/utterances.js';
import { DtmfFrame, TTSSpeakFrame } from '../pipeline/frames/index.js';
import { languageOf } from '../pipeline/language.js';
import type { CallOpening } from './call-opening.js';
import type { CallerFrame, CallPipeline } from './call-pipeline.js';
import type { CheckedNotices } from './parts/notices-part.js';

export interface CallKeepingOptions {
  readonly runner: CallRunnerLink | undefined;
  readonly notices: CheckedNotices;
  readonly pipeline: CallPipeline;
  readonly opening: Pick<CallOpening, 'underWay'>;
  readonly hasVoice: boolean;
}

/** What is kept of a call, and the caller's objection to it, which counts where the bot says that it records. */
export class CallKeeping {
  readonly #utterances = new Utterances((words) => objectsToRecording(words) && this.stop());

  constructor(private readonly options: CallKeepingOptions) {
    void options.pipeline.over.then(() => this.#utterances.end());
  }

  pause(): void {
    this.options.runner?.pauseRecording?.();
  }

  resume(): void {
    this.options.runner?.resumeRecording?.();
  }

  /** Nothing more is kept, and what there is is removed; the bot says so. Does nothing where nothing is kept. */
  stop(): void {
    const { runner, pipeline, hasVoice, opening } = this.options;
    if (!runner?.isRecorded?.()) return;
    try {
      runner.removeRecording?.();
    } catch (error) {
      pipeline.report(error as Error); // the bot does not say that it is gone
      return;
    }
    if (!hasVoice) return;
    const say = () => pipeline.send(new TTSSpeakFrame(ownSentence('recording_removed', languageOf(pipeline.language))));
    const { underWay } = opening;
    if (underWay) void underWay.then(say);
    else say();
  }

  /** What the caller presses or says, before the bot gets it. */
  hear(frame: CallerFrame): void {
    const { recording } = this.options.notices;
    if (!recording || !this.options.runner?.isRecorded?.()) return;
    if (!(frame instanceof DtmfFrame)) this.#utterances.hear(frame);
    else if (frame.digit === recording.objectKey && !frame.isTaken) {
      frame.isTaken = true;
      this.stop();
    }
  }
}
