import { readFileSync } from 'node:fs';
import {
  EndFrame,
  Pipeline,
  PipelineTask,
  RoomsTransport,
  type RunnerArguments,
  type TransferOutcome,
  type VoicebotError,
} from 'voicebot';
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
  StartFrame,
} from 'voicebot/pipeline';
import type { CallTransport } from './call-transport.js';

type Done = void | Promise<void>;

/** What a bot does. */
export interface Acts {
  /** As soon as the other party is there. */
  readonly greet: (line: Line) => Done;
  readonly press?: (digit: DtmfDigit, line: Line) => Done;
  /** When it has been heard to its end, and does not connect anybody. */
  readonly heard?: (line: Line) => Done;
}

/** What has come of a transfer that was asked for in vain. */
export const refusal = ({ code, message: detail }: VoicebotError) => ({ status: 'refused', code, detail }) as const;

type Outcome = Exclude<TransferOutcome, { status: 'refused' }> | ReturnType<typeof refusal>;

/** Does what it is told to do with the other party, to whom it does not listen. */
export class Line extends FrameProcessor {
  /** Whether it says back what it hears. */
  isEchoing = false;
  #isConnecting = false;

  constructor(
    private readonly transport: CallTransport,
    private readonly acts: Acts,
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): Done {
    if (frame instanceof DtmfFrame) return this.acts.press?.(frame.digit, this);
    if (frame instanceof InputAudioFrame) {
      if (this.isEchoing) this.say(new OutputAudioFrame(frame.pcm, frame.sampleRate));
      return;
    }
    const isHeard = frame instanceof BotStoppedSpeakingFrame && !frame.wasInterrupted;
    if (isHeard && !this.#isConnecting) void this.acts.heard?.(this);
    this.push(frame, direction);
    // A carrier's caller is there from the start; a room tells when somebody comes.
    if (frame instanceof StartFrame && !(this.transport instanceof RoomsTransport)) void this.acts.greet(this);
  }

  say(...frames: readonly OutputAudioFrame[]): void {
    for (const frame of frames) this.push(frame);
  }

  /** Nothing of what it has said is heard from now on. */
  override interrupt(): void {
    super.interrupt();
  }

  end(): void {
    this.push(new EndFrame());
  }

  /** Connects the other party with somebody, and leaves them alone; otherwise says what it regrets, to who is still there. */
  async connect(
    to: string,
    announce: OutputAudioFrame | readonly OutputAudioFrame[],
    tell: (outcome: Outcome) => void,
    ...regrets: readonly OutputAudioFrame[]
  ): Promise<void> {
    this.#isConnecting = true;
    const outcome = await this.transport.transfer(to, { announce }).catch(refusal);
    this.#isConnecting = false;
    tell(outcome);
    if (outcome.status === 'answered') this.end();
    else if (outcome.status !== 'caller_left') this.say(...regrets);
  }
}

/** What a menu does at each of its keys, and at others, once it has stopped talking. */
export function menu(
  keys: Readonly<Partial<Record<DtmfDigit, (line: Line) => Done>>>,
  otherwise: (line: Line) => Done,
): NonNullable<Acts['press']> {
  return (digit, line) => {
    line.interrupt();
    return (keys[digit] ?? otherwise)(line);
  };
}

/** Acts until the call is over; calls whom the bot is to call from a room. */
export async function act(
  args: RunnerArguments,
  transport: CallTransport,
  acts: Acts,
  rates: { readonly audioInSampleRate?: number; readonly audioOutSampleRate?: number } = {},
): Promise<void> {
  const line = new Line(transport, acts);
  const pipeline = new Pipeline([transport.input(), line, transport.output()]);
  const task = new PipelineTask(pipeline, { signal: args.signal, ...rates });
  if (!(transport instanceof RoomsTransport)) return task.run();
  const phoneNumber = args.transport === 'rooms' ? args.phone_number : undefined;
  transport.on(phoneNumber ? 'dialout_answered' : 'first_participant_joined', () => void acts.greet(line));
  const running = task.run();
  await Promise.all([running, phoneNumber && transport.startDialout({ phoneNumber })]);
}

/** Recorded prompts: 8 kHz mu-law WAV files in `prompts`, beside the file of the bot. */
export const promptsBeside = (botUrl: string) => (name: string) => {
  const { channels, sampleRate } = decodeWav(readFileSync(new URL(`./prompts/${name}.wav`, botUrl)));
  return new OutputAudioFrame(channels[0], sampleRate);
};

/** A tone in place of speech. */
export function tone(hz: number, ms: number): OutputAudioFrame {
  const rate = 8_000;
  const wave = (_: unknown, n: number) => 8_000 * Math.sin((2 * Math.PI * hz * n) / rate);
  return new OutputAudioFrame(Int16Array.from({ length: (rate * ms) / 1_000 }, wave), rate);
}
