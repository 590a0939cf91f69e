import { operatorNumber, type RunnerArguments } from 'voicebot';
import { act, type Line, menu, promptsBeside, refusal } from '../../../bots/acting-bot.js';
import { roomTransport } from '../../../bots/call-transport.js';

const prompt = promptsBeside(import.meta.url);

/** What the caller hears when the destination was not reached. */
const REGRETS: Record<string, string> = { busy: 'busy', no_answer: 'no-answer', rejected: 'busy' };

/** Tells the caller about the transfer, asks for it, and stays with the caller unless somebody answers. */
export async function bot(args: RunnerArguments): Promise<void> {
  const transport = roomTransport(args, 'Reception');
  const transfer = async (line: Line) => {
    line.say(prompt('one-moment'));
    const toEndPoint = operatorNumber();
    transport.once('dialout_answered', (_transport, data) => {
      console.error('the transfer was answered', data);
      line.end(); // the bot leaves, caller and destination go on
    });
    const outcome = await transport.sipCallTransfer({ toEndPoint }).catch(refusal); // once the announcement has been heard
    console.error(`transfer to ${toEndPoint}: ${outcome.status}`);
    if (outcome.status === 'answered' || outcome.status === 'caller_left') return;
    line.say(prompt(REGRETS[outcome.status] ?? 'nobody-there'), prompt('greeting'));
  };
  const greet = (line: Line) => line.say(prompt('greeting'));
  await act(args, transport, { greet, press: menu({ '0': transfer }, greet) });
}
