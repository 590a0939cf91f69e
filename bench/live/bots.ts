/** The bot of the bench, of whatever kind, all calls in this process. Argument: its environment, as JSON. */
import { takeLoopDelay } from '../conversation/loop-delay.js';
import { answer, usage } from '../processes/questions.js';
import { serveBots } from '../processes/serve-bots.js';

const [environment = '{}'] = process.argv.slice(2);
Object.assign(process.env, JSON.parse(environment)); // before the bot is loaded, which reads it
const { default: bot } = await import('../bots/live-speaker.js');
const serving = serveBots(bot);

const questions = { url: () => serving, usage, loopDelay: takeLoopDelay };
export type LiveBots = typeof questions;

answer(questions);
