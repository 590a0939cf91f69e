import { readFileSync } from 'node:fs';
import * as vb from 'voicebot';

/** Recorded prompts: 8 kHz mu-law WAV files beside this one. */
function prompt(name: string): vb.OutputAudioFrame {
  const { channels, sampleRate } = vb.decodeWav(readFileSync(new URL(`./prompts/${name}.wav`, import.meta.url)));
  return new vb.OutputAudioFrame(channels[0], sampleRate);
}

/** What the caller hears when the destination was not reached. */
const REGRETS: Record<string, string> = { busy: 'busy', no_answer: 'no-answer', rejected: 'busy' };

/** Tells the caller about the transfer, asks for it, and stays with the caller unless somebody answers. */
class Reception extends vb.FrameProcessor {
  constructor(private readonly transport: vb.RoomsTransport) {
    super();
  }

  override process(frame: vb.Frame, direction: vb.FrameDirection): void | Promise<void> {
    if (frame instanceof vb.DtmfFrame) return this.#choose(frame.digit);
    if (!(frame instanceof vb.InputAudioFrame)) this.push(frame, direction);
  }

  say(...prompts: string[]): void {
    for (const name of prompts) this.push(prompt(name));
  }

  #choose(digit: vb.DtmfDigit): void | Promise<void> {
    this.interrupt();
    if (digit === '0') return this.#transfer();
    this.say('greeting');
  }

  async #transfer(): Promise<void> {
    this.say('one-moment');
    const toEndPoint = vb.operatorNumber();
    const outcome = await this.transport
      .sipCallTransfer({ toEndPoint }) // once the announcement has been heard
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    console.error(`transfer to ${toEndPoint}: ${outcome.status}`);
    if (outcome.status === 'answered' || outcome.status === 'caller_left') return;
    this.say(REGRETS[outcome.status] ?? 'nobody-there', 'greeting');
  }
}

export async function bot(args: vb.RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const request = vb.parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new vb.RoomsTransport(args.room_url, args.token, 'Reception', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
    audioInEnabled: true,
    audioOutEnabled: true,
  });
  const reception = new Reception(transport);
  const pipeline = new vb.Pipeline([transport.input(), reception, transport.output()]);
  const task = new vb.PipelineTask(pipeline, { signal: args.signal });
  transport.on('first_participant_joined', () => reception.say('greeting'));
  transport.on('dialout_answered', (_transport, data) => {
    console.error('the transfer was answered', data);
    task.queueFrame(new vb.EndFrame()); // the bot leaves, caller and destination go on
  });
  await task.run();
}
