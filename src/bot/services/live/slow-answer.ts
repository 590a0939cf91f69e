import { ProviderError } from '../../../base/provider-error.js';
import type { LiveAnswer, LiveQuestion } from './live-answer.js';
import type { LiveSession } from './live-session.js';

/** What a session was asked, and has not begun to answer in its time. */
export interface SlowAnswer {
  readonly question: LiveQuestion;
  /** Since when it is awaited; monotonic, in milliseconds. */
  readonly awaitedAt: number;
  /** Aborted when it begins all the same. */
  readonly begun: AbortSignal;
  /** The session is asked again, or not any more. */
  readonly isOver: boolean;
  readonly failure: ProviderError;
  /** Others answer in its place: the session says nothing more of it, and it has failed for good. */
  handOn(): void;
}

/** @param vendor of the session */
export function slowAnswer(answer: LiveAnswer, session: LiveSession, vendor: string): SlowAnswer {
  const { question, begun, awaitedAt = performance.now() } = answer;
  const words = `no answer for ${Math.round(performance.now() - awaitedAt)} ms`;
  const failure = new ProviderError(vendor, 'VB_PROVIDER_FAILED', words, { isFinal: true });
  const handOn = () => {
    session.drop(answer);
    answer.finish({ status: 'handed_on', failure });
  };
  return {
    question,
    begun,
    awaitedAt,
    failure,
    get isOver() {
      return answer.isOver;
    },
    handOn,
  };
}
