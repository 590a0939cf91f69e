import type { NotedNumber } from '../../call/phone-number.js';

/** The bot's, E.164. */
export const FIRST_NUMBER = '+12025550100';
const OTHERS = Array.from({ length: 9 }, (_, n) => `+1202555011${n + 1}`);

/** What the accounts at both providers have: the bot's number and nine others, whose settings must survive a change of the first. */
export const ACCOUNT_NUMBERS: readonly string[] = [FIRST_NUMBER, ...OTHERS];

/** What a phone may ring. */
export const RINGABLE_NUMBERS: readonly NotedNumber[] = [
  { number: FIRST_NUMBER, note: 'The bot.' },
  ...OTHERS.map((number) => ({ number, note: 'Nothing answers until it is set: voicebot configure-number.' })),
];

/** What a phone may say it is. */
export const CALLER_NUMBERS: readonly NotedNumber[] = [
  { number: '+12025550199', note: 'A caller. Any other number will do.' },
  { number: '+442079460199', note: 'A caller from another country.' },
];
