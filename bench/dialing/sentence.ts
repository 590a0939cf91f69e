/** What the bot of the bench says first. */
export const SENTENCE = 'Hello. You are talking to a machine.';
