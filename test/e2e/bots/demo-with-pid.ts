import type { RunnerArguments } from 'voicebot';
import demo from '../../../templates/demo/bot.js';

/** The demo bot, which says in which process it serves a call. */
export function bot(args: RunnerArguments): Promise<void> {
  console.error(`pid ${process.pid} serves ${args.call.from}`);
  return demo(args);
}
