import type { EventEmitter } from 'node:events';
import type { CallId } from './call-id.js';
import type { CallTimeline, HeardBy } from './timeline.js';

/** A service that needs a key, and for which something on this machine can stand in. */
export type StandIn = 'speech to text' | 'language model' | 'voice';

/**
 * What the caller is taken to have said, where nothing listens to their voice. `typedAt`: when it was typed, milliseconds since the
 * Unix epoch; missing where it was spoken. `by`: what has understood it then.
 */
export type TypedSentences = EventEmitter<{
  sentence: [text: string, typedAt?: number | undefined, by?: HeardBy | undefined];
}>;

/** What stands in for services in one call. */
export interface CallStandIns {
  readonly callId: CallId;
  readonly typed: TypedSentences;
}

/** Registered: the bot file may import another copy of this package than the one that runs it. */
const STAND_INS = Symbol.for('voicebot.standIns');

const shared = globalThis as { [STAND_INS]?: boolean };

/** Notes at the beginning of a call that a service has a stand-in. */
export const noteStandIn = (timeline: CallTimeline | undefined, service: StandIn): void =>
  timeline?.note({ type: 'stand_ins', services: [service] });

/** From now on no service of this process asks its provider. Before the bot file is loaded. @param areUsed false: undoes it */
export function useStandIns(areUsed = true): void {
  shared[STAND_INS] = areUsed;
}

/** Whether something on this machine stands in for every service that needs a key: for trying a bot out without any. */
export const hasStandIns = (): boolean => shared[STAND_INS] === true;
