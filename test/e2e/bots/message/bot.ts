import { readFileSync } from 'node:fs';
import { EndFrame, operatorNumber, Pipeline, PipelineTask, RoomsTransport, type RunnerArguments } from 'voicebot';
import {
  BotStoppedSpeakingFrame,
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

/** Says what it calls for, twice, and leaves; 0 asks for the operator, 9 ends the call, other keys repeat it. */
class Message extends FrameProcessor {
  #isConnecting = false;

  constructor(private readonly transport: RoomsTransport) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof DtmfFrame) return this.#choose(frame.digit);
    if (frame instanceof BotStoppedSpeakingFrame && !frame.wasInterrupted && !this.#isConnecting) this.#leave();
    if (!(frame instanceof InputAudioFrame)) this.push(frame, direction);
  }

  say(...prompts: string[]): void {
    for (const name of prompts) this.push(prompt(name));
  }

  #choose(digit: DtmfDigit): void | Promise<void> {
    this.interrupt();
    if (digit === '0') return this.#connect();
    if (digit === '9') this.#leave();
    else this.say('message');
  }

  async #connect(): Promise<void> {
    this.#isConnecting = true;
    const outcome = await this.transport
      .transfer(operatorNumber(), { announce: prompt('one-moment') })
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    this.#isConnecting = false;
    console.error(`transfer to the operator: ${outcome.status}`);
    if (outcome.status === 'answered') this.push(new EndFrame());
    else if (outcome.status !== 'caller_left') this.say('nobody-there', 'message');
  }

  #leave(): void {
    this.say('goodbye');
    this.push(new EndFrame());
  }
}

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const { room_url, token, phone_number: phoneNumber } = args;
  if (!phoneNumber) throw new Error('this bot calls others: start it with `npx voicebot dialout <number>`');
  const transport = new RoomsTransport(room_url, token, 'Voicebot', {
    apiKey: process.env.ROOMS_API_KEY ?? '',
    audioInEnabled: true,
    audioOutEnabled: true,
    videoOutEnabled: false,
    transcriptionEnabled: true,
  });
  const message = new Message(transport);
  transport.on('dialout_answered', () => message.say('message', 'message'));
  transport.on('dialout_error', (_transport, { errorMsg }) => console.error(`not reached: ${errorMsg}`));
  const pipeline = new Pipeline([transport.input(), message, transport.output()]);
  const running = new PipelineTask(pipeline, { signal: args.signal }).run();
  await Promise.all([running, transport.startDialout({ phoneNumber })]);
}
