import { readFileSync } from 'node:fs';
import * as vb from 'voicebot';

/** Recorded prompts: 8 kHz mu-law WAV files beside this one. */
function prompt(name: string): vb.OutputAudioFrame {
  const { channels, sampleRate } = vb.decodeWav(readFileSync(new URL(`./prompts/${name}.wav`, import.meta.url)));
  return new vb.OutputAudioFrame(channels[0], sampleRate);
}

/** Says what it calls for, twice, and leaves; 0 asks for the operator, 9 ends the call, other keys repeat it. */
class Message extends vb.FrameProcessor {
  #isConnecting = false;

  constructor(private readonly transport: vb.RoomsTransport) {
    super();
  }

  override process(frame: vb.Frame, direction: vb.FrameDirection): void | Promise<void> {
    if (frame instanceof vb.DtmfFrame) return this.#choose(frame.digit);
    if (frame instanceof vb.BotStoppedSpeakingFrame && !frame.wasInterrupted && !this.#isConnecting) this.#leave();
    if (!(frame instanceof vb.InputAudioFrame)) this.push(frame, direction);
  }

  say(...prompts: string[]): void {
    for (const name of prompts) this.push(prompt(name));
  }

  #choose(digit: vb.DtmfDigit): void | Promise<void> {
    this.interrupt();
    if (digit === '0') return this.#connect();
    if (digit === '9') this.#leave();
    else this.say('message');
  }

  async #connect(): Promise<void> {
    this.#isConnecting = true;
    const outcome = await this.transport
      .transfer(vb.operatorNumber(), { announce: prompt('one-moment') })
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    this.#isConnecting = false;
    console.error(`transfer to the operator: ${outcome.status}`);
    if (outcome.status === 'answered') this.push(new vb.EndFrame());
    else if (outcome.status !== 'caller_left') this.say('nobody-there', 'message');
  }

  #leave(): void {
    this.say('goodbye');
    this.push(new vb.EndFrame());
  }
}

export async function bot(args: vb.RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const { room_url, token, phone_number: phoneNumber } = args;
  if (!phoneNumber) throw new Error('this bot calls others: start it with `npx voicebot dialout <number>`');
  const transport = new vb.RoomsTransport(room_url, token, 'Voicebot', {
    apiKey: process.env.ROOMS_API_KEY ?? '',
    audioInEnabled: true,
    audioOutEnabled: true,
    videoOutEnabled: false,
    transcriptionEnabled: true,
  });
  const message = new Message(transport);
  transport.on('dialout_answered', () => message.say('message', 'message'));
  transport.on('dialout_error', (_transport, { errorMsg }) => console.error(`not reached: ${errorMsg}`));
  const pipeline = new vb.Pipeline([transport.input(), message, transport.output()]);
  const running = new vb.PipelineTask(pipeline, { signal: args.signal }).run();
  await Promise.all([running, transport.startDialout({ phoneNumber })]);
}
