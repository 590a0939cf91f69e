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

/** What the caller hears when the destination was not reached. */
const REGRETS: Record<string, string> = { busy: 'busy', no_answer: 'no-answer', rejected: 'busy' };

/** Tells the caller about the transfer, asks for it, and stays with the caller unless somebody answers. */
class Reception extends FrameProcessor {
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
    if (digit === '0') return this.#transfer();
    this.say('greeting');
  }

  async #transfer(): Promise<void> {
    this.say('one-moment');
    const toEndPoint = operatorNumber();
    const outcome = await this.transport
      .sipCallTransfer({ toEndPoint }) // once the announcement has been heard
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    console.error(`transfer to ${toEndPoint}: ${outcome.status}`);
    if (outcome.status === 'answered' || outcome.status === 'caller_left') return;
    this.say(REGRETS[outcome.status] ?? 'nobody-there', 'greeting');
  }
}

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const request = parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new RoomsTransport(args.room_url, args.token, 'Reception', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
    audioInEnabled: true,
    audioOutEnabled: true,
  });
  const reception = new Reception(transport);
  const pipeline = new Pipeline([transport.input(), reception, transport.output()]);
  const task = new PipelineTask(pipeline, { signal: args.signal });
  transport.on('first_participant_joined', () => reception.say('greeting'));
  transport.on('dialout_answered', (_transport, data) => {
    console.error('the transfer was answered', data);
    task.queueFrame(new EndFrame()); // the bot leaves, caller and destination go on
  });
  await task.run();
}
