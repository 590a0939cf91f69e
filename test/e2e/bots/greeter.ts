import type { RunnerArguments } from 'voicebot';
import { act, tone } from '../../bots/acting-bot.js';
import { carrierTransport } from '../../bots/call-transport.js';

/** Says who it was told to call, then a tone of four seconds, and ends the call. */
export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'carrier') throw new Error('a carrier call');
  const transport = await carrierTransport(args);
  console.error(`greets ${JSON.stringify({ to: args.call.to, body: args.body, query: args.query })}`);
  await act(args, transport, {
    greet: (line) => {
      line.say(tone(425, 4_000));
      line.end();
    },
  });
}
