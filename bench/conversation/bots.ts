/** Conversations, all in this process. Argument: more of its environment, as JSON. */
import { answer, usage } from '../processes/questions.js';
import { serveBots } from '../processes/serve-bots.js';
import { takeLoopDelay } from './loop-delay.js';

const [environment = '{}'] = process.argv.slice(2);
Object.assign(process.env, JSON.parse(environment)); // before the bot is loaded, which reads it
const { bot, happened } = await import('../bots/converser.js');
const serving = serveBots(bot);

const questions = {
  url: () => serving,
  usage,
  loopDelay: takeLoopDelay,
  /** Since the last time. */
  happened: () => ({ turns: happened.turns.splice(0), bargeIns: happened.bargeIns.splice(0) }),
};
export type Bots = typeof questions;

answer(questions);
