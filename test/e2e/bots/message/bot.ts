import type { RunnerArguments } from 'voicebot';
import { act } from '../../../bots/acting-bot.js';
import { roomTransport } from '../../../bots/call-transport.js';
import { operatorMenu } from '../operator-menu.js';

/** Says what it calls for, twice, and leaves; 0 asks for the operator, 9 ends the call, other keys repeat it. */
export async function bot(args: RunnerArguments): Promise<void> {
  const transport = roomTransport(args, 'Voicebot');
  transport.on('dialout_error', (_transport, { errorMsg }) => console.error(`not reached: ${errorMsg}`));
  const { leave, ...acts } = operatorMenu(import.meta.url, ['message', 'message'], 'message');
  await act(args, transport, { ...acts, heard: leave });
}
