import type { RunnerArguments } from 'voicebot';
import { act, type Line, refusal, tone } from '../../bots/acting-bot.js';
import { carrierTransport } from '../../bots/call-transport.js';

/** Does what the call's query says: transfers to `to`, says what came of it, and ends. */
export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'carrier') throw new Error('a carrier call');
  const transport = await carrierTransport(args);
  const { id: call, attempt } = args.call;
  const tell = (what: object) => console.error(JSON.stringify({ call, attempt, ...what }));
  transport.on('dialout_answered', (_transport, data) => tell({ event: 'dialout_answered', ...data }));
  transport.on('disconnected', () => tell({ event: 'disconnected' }));
  const { to = '', meanwhile = 'wait' } = args.query;

  const transfer = async (line: Line): Promise<void> => {
    const transferring = transport.sipCallTransfer({ toEndPoint: to }).catch(refusal);
    if (meanwhile === 'crash') setTimeout(() => process.exit(1), 700);
    if (meanwhile === 'hang_up') setTimeout(() => line.end(), 700);
    tell({ event: 'outcome', ...(await transferring) });
    line.say(tone(425, 200));
    line.end();
  };

  await act(args, transport, {
    greet: (line) => {
      line.say(tone(425, 200));
      if (attempt > 1) line.end();
      else void transfer(line);
    },
  });
  tell({ event: 'done' });
}
