import { readFileSync } from 'node:fs';
import * as vb from 'voicebot';

/** Recorded prompts: 8 kHz mu-law WAV files beside this one. */
function prompt(name: string): vb.OutputAudioFrame {
  const { channels, sampleRate } = vb.decodeWav(readFileSync(new URL(`./prompts/${name}.wav`, import.meta.url)));
  return new vb.OutputAudioFrame(channels[0], sampleRate);
}

/** Greets the caller and does what the keys say: 0 asks for the operator, 9 hangs up. */
class Menu extends vb.FrameProcessor {
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
    if (digit === '0') return this.#connect();
    this.say(digit === '9' ? 'goodbye' : 'menu');
    if (digit === '9') this.push(new vb.EndFrame());
  }

  async #connect(): Promise<void> {
    const outcome = await this.transport
      .transfer(vb.operatorNumber(), { announce: prompt('one-moment') })
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    console.error(`transfer to the operator: ${outcome.status}`);
    if (outcome.status === 'answered') this.push(new vb.EndFrame());
    else if (outcome.status !== 'caller_left') this.say('nobody-there', 'menu');
  }
}

export async function bot(args: vb.RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const request = vb.parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new vb.RoomsTransport(args.room_url, args.token, 'Voicebot', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
    audioInEnabled: true,
    audioOutEnabled: true,
  });
  const menu = new Menu(transport);
  transport.on('first_participant_joined', () => menu.say('greeting', 'menu'));
  transport.on('dialin_error', (_transport, { errorMsg }) => console.error(`dial-in failed: ${errorMsg}`));
  const pipeline = new vb.Pipeline([transport.input(), menu, transport.output()]);
  await new vb.PipelineTask(pipeline, { signal: args.signal }).run();
}
