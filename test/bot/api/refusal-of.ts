import { type BotOptions, defineBot } from '../../../src/bot/api/index.js';

/** What a bot of these parts is refused with when it is defined. */
export function refusalOf(parts: object): unknown {
  try {
    defineBot({ onCall: () => {}, ...parts } as BotOptions);
  } catch (error) {
    return error;
  }
  throw new Error('it was taken');
}
