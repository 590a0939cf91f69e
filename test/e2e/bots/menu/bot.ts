import { readFileSync } from 'node:fs';
import {
  EndFrame,
  operatorNumber,
  Pipeline,
  PipelineTask,
  parseRoomsDialinRequest,
  RoomsTransport,
  type RunnerArguments,
} from 'voicebot';
import {
  type DtmfDigit,
  DtmfFrame,
  decodeWav,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
} from 'voicebot/pipeline';

/** Recorded prompts: 8 kHz mu-law WAV files beside this one. */
function prompt(name: string): OutputAudioFrame {
  const { channels, sampleRate } = decodeWav(readFileSync(new URL(`./prompts/${name}.wav`, import.meta.url)));
  return new OutputAudioFrame(channels[0], sampleRate);
}

/** Greets the caller and does what the keys say: 0 asks for the operator, 9 hangs up. */
class Menu extends FrameProcessor {
  constructor(private readonly transport: RoomsTransport) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof DtmfFrame) return this.#choose(frame.digit);
    if (!(frame instanceof InputAudioFrame)) this.push(frame, direction);
  }

  say(...prompts: string[]): void {
    for (const name of prompts) this.push(prompt(name));
  }

  #choose(digit: DtmfDigit): void | Promise<void> {
    this.interrupt();
    if (digit === '0') return this.#connect();
    this.say(digit === '9' ? 'goodbye' : 'menu');
    if (digit === '9') this.push(new EndFrame());
  }

  async #connect(): Promise<void> {
    const outcome = await this.transport
      .transfer(operatorNumber(), { announce: prompt('one-moment') })
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    console.error(`transfer to the operator: ${outcome.status}`);
    if (outcome.status === 'answered') this.push(new EndFrame());
    else if (outcome.status !== 'caller_left') this.say('nobody-there', 'menu');
  }
}

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const request = parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new RoomsTransport(args.room_url, args.token, 'Voicebot', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
    audioInEnabled: true,
    audioOutEnabled: true,
  });
  const menu = new Menu(transport);
  transport.on('first_participant_joined', () => menu.say('greeting', 'menu'));
  transport.on('dialin_error', (_transport, { errorMsg }) => console.error(`dial-in failed: ${errorMsg}`));
  const pipeline = new Pipeline([transport.input(), menu, transport.output()]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
}
