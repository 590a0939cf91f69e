import type { DoNotCallOutcome, DoNotCallWay } from '../do-not-call.js';

const WAYS: Readonly<Record<DoNotCallWay, string>> = {
  said: 'Asked not to be called again',
  pressed: 'Pressed the key not to be called again',
  tool: 'The bot was asked not to call again',
};
const OUTCOMES: Readonly<Record<DoNotCallOutcome, string>> = {
  listed: 'the number is on the do-not-call list',
  withheld: 'the number is withheld, and could not be put on the do-not-call list',
  failed: 'the number could not be put on the do-not-call list',
};

/** That a person has asked not to be called again, and what became of it. */
export const doNotCallWords = ({
  how,
  outcome,
}: {
  readonly how: DoNotCallWay;
  readonly outcome: DoNotCallOutcome;
}): string => `${WAYS[how]}: ${OUTCOMES[outcome]}`;
