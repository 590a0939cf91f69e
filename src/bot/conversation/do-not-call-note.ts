import type { DoNotCallOutcome } from '../../call/do-not-call.js';

const NOTES: Readonly<Record<DoNotCallOutcome, string>> = {
  listed: 'The person on the line has asked not to be called again. Their number is on the do-not-call list now',
  withheld:
    'The person on the line has asked not to be called again. Their number is withheld, so it could not be put on the do-not-call list',
  failed:
    'The person on the line has asked not to be called again. Their number could not be put on the do-not-call list; do not say that it was',
};

/** What the model is told when the other party has asked not to be called again. @param isTold they are told without the model */
export const doNotCallNote = (outcome: DoNotCallOutcome, isTold: boolean): string =>
  `${NOTES[outcome]}. ${isTold ? 'They are told so; do not repeat it. Say goodbye, unless they want something else.' : 'Tell them so in one sentence.'}`;
