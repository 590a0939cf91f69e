import type { CallTimeline } from '../../../call/timeline.js';
import type { ServiceUsage } from '../../../call/usage.js';
import type { Turn, Utterance } from '../../pipeline/frames/index.js';
import { vendorOf } from '../model-vendor.js';
import type { LiveAnswerEnd } from './live-answer.js';
import type { LiveSpeech } from './live-speech.js';
import type { LiveModel } from './realtime-model.js';

/** Notes what a session is asked and answers in the call's timeline: an answer of the model as a request to it, a sentence as one to a voice. */
export class LiveNotes {
  static #count = 0;

  constructor(
    private readonly model: LiveModel,
    private readonly timeline: () => CallTimeline | undefined,
  ) {}

  /** The session works for the call. */
  service(): void {
    const { modelId: model } = this.model;
    this.timeline()?.note({ type: 'service', does: 'live', provider: vendorOf(this.model).name, model });
  }

  /** The vendor charges for it. */
  used(usage: ServiceUsage): void {
    this.timeline()?.note({ type: 'usage', used: [usage] });
  }

  /** The vendor tells of something that is not known. */
  unknown(kind: string): void {
    const message = `${this.model.provider} tells of ${JSON.stringify(kind)}, which is not known and passed over`;
    this.timeline()?.note({ type: 'log', level: 'info', message });
  }

  /** The session is asked. @returns notes what came of it; nothing came when it was interrupted */
  asked(turn: Turn | undefined, utterance: Utterance): (end: LiveAnswerEnd | undefined, speech: LiveSpeech) => void {
    const timeline = this.timeline();
    if (!timeline) return () => {};
    const begunAt = performance.now();
    if (!turn) {
      timeline.note({ type: 'voice_asked', utterance: utterance.id });
      return (end, { hasSpoken, firstAudioAt }) => {
        const outcome = end === undefined ? 'cancelled' : hasSpoken ? 'said' : 'failed';
        const firstAudioMs = firstAudioAt === undefined ? undefined : firstAudioAt - begunAt;
        const ms = performance.now() - begunAt;
        timeline.note({ type: 'voice_answered', utterance: utterance.id, ms, firstAudioMs, outcome });
      };
    }
    LiveNotes.#count += 1;
    const of = { turn: turn.id, response: LiveNotes.#count };
    timeline.note({ type: 'model_asked', ...of, model: this.model.modelId, provider: vendorOf(this.model).name });
    return (end, { firstAudioAt }) => {
      const firstTokenMs = firstAudioAt === undefined ? undefined : firstAudioAt - begunAt;
      const { inputTokens, outputTokens, status: finishReason, failure } = end ?? { status: undefined };
      const failed = failure && { error: failure.message, errorType: failure.code };
      const ms = performance.now() - begunAt;
      const took = { ms, firstTokenMs, inputTokens, outputTokens, finishReason };
      timeline.note({ type: 'model_answered', ...of, ...took, ...failed });
    };
  }
}
