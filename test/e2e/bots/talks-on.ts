import type { RunnerArguments } from 'voicebot';
import { act, tone } from '../../bots/acting-bot.js';
import { roomTransport } from '../../bots/call-transport.js';

/** What it says, in hertz. */
const PITCH = 800;
/** How long it goes on: longer than a test. */
const LENGTH_MS = 60_000;
/** Whoever presses `*` is transferred there. */
const OPERATOR = '+12025550155';

/** Says one tone from when the other party is there to the end of the call, and tells what happens to it. */
export async function bot(args: RunnerArguments): Promise<void> {
  const { id: call, attempt } = args.call;
  const tell = (event: string, data: unknown = {}) =>
    console.error(JSON.stringify({ call, attempt, pid: process.pid, event, data }));
  tell('start');
  const transport = roomTransport(args, 'Talks on');
  for (const event of ['joined', 'dialout_connected', 'dialout_answered'] as const) {
    transport.on(event, (_transport: unknown, data: unknown) => tell(event, data));
  }
  await act(args, transport, {
    greet: (line) => line.say(tone(PITCH, LENGTH_MS)),
    press: async (digit, line) => {
      if (digit !== '*') return;
      line.interrupt();
      tell('outcome', await transport.transfer(OPERATOR).catch((error: Error) => error.message));
      line.end();
    },
  });
  tell('done');
}
