import { acceptCall, type Call } from '../../../src/bot/api/index.js';
import type { RunnerArguments } from '../../../src/call/runner-arguments.js';
import { Hum } from '../../bot/api/handovers/line.js';
import { Inbox } from '../../sandbox/inbox.js';

/** The calls of a bot that does nothing by itself: a test in the same process does what it wants with them. */
export const calls = new Inbox<Call>();

export async function bot(args: RunnerArguments): Promise<void> {
  const call = await acceptCall(args, { tts: () => new Hum() });
  calls.push(call);
  await call.ended;
}
