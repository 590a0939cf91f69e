import type { RunnerArguments } from 'voicebot';
import { act } from '../../../bots/acting-bot.js';
import { roomTransport } from '../../../bots/call-transport.js';
import { operatorMenu } from '../operator-menu.js';

/** Greets the caller and does what the keys say: 0 asks for the operator, 9 hangs up. */
export async function bot(args: RunnerArguments): Promise<void> {
  const transport = roomTransport(args, 'Voicebot');
  transport.on('dialin_error', (_transport, { errorMsg }) => console.error(`dial-in failed: ${errorMsg}`));
  await act(args, transport, operatorMenu(import.meta.url, ['greeting', 'menu'], 'menu'));
}
