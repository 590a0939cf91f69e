/** What the provider's words mean for the person who set things up (rooms reference 1.4, 4.5, 8, 10 and 15.1). */
const HINTS: ReadonlyArray<readonly [words: RegExp, hint: string]> = [
  [
    /missing-payment-method|payment method|credit card/i,
    "add a payment card to the provider's account: without one no client can join its rooms, and no number can be called",
  ],
  [/dial-?out not enabled for room|add enable_dialout/i, 'create the room with dial-out enabled'],
  [
    /dial-?out to \w+ is not enabled for domain/i,
    "ask the provider's support to enable dial-out to telephone numbers for your domain",
  ],
  [
    /enable_dialout.*cannot be set|current plan/i,
    'have dial-out enabled for this account, which needs a plan that includes it',
  ],
  [
    /international dial-?out not supported/i,
    'dial a number in the United States or Canada, or have international dial-out enabled for your domain',
  ],
  [/unable to start dial-?out|owner|NOT_ALLOWED/, 'use the token of an owner, in a room with dial-out enabled'],
  [/DIALOUT_IN_PROGRESS|dial-?out already started/i, 'wait for the call that goes out of this room already'],
  [/TEMPORARILY_NOT_AVAILABLE|rate-limit/, 'try again in a moment'],
  [/not hosting a call|no session/i, 'join the room first: telephone calls need a participant in it'],
];

/** What to do about a refusal in these words; undefined when they are not known. */
export function hintFor(words: string): string | undefined {
  return HINTS.find(([pattern]) => pattern.test(words))?.[1];
}
