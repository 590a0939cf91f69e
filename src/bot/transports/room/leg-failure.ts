import type { TransferFailure } from '../../../call/transfer-outcome.js';

/** Why a callee did not answer. */
export type LegFailure = Exclude<TransferFailure, 'failed'>;

const WORDS: Readonly<Record<LegFailure, RegExp>> = {
  busy: /busy/i,
  no_answer: /no[ _-]?answer|not answered|time[d -]*out/i,
  rejected: /reject|declin/i,
};

/** Reads the provider's words, for which it has no list (rooms reference 16); undefined when they say something else. */
export function legFailure(errorMsg: string): LegFailure | undefined {
  return (Object.keys(WORDS) as LegFailure[]).find((failure) => WORDS[failure].test(errorMsg));
}
