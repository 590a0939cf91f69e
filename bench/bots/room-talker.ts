import { RoomsTransport, type RunnerArguments } from 'voicebot';
import {
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
  ToneSource,
} from 'voicebot/pipeline';
import { tell } from '../rooms/told.js';
import { openTransport, pipelineOn } from './pipeline-on.js';

const RATE = 8_000;
const GREETING = ToneSource.ringback(RATE).read(RATE);
const TOLD = ['joined', 'dialin_ready', 'first_participant_joined'] as const;

class Talker extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    if (!(frame instanceof InputAudioFrame)) this.push(frame, direction);
  }

  greet(): void {
    this.push(new OutputAudioFrame(GREETING, RATE));
  }
}

/** Speaks as soon as the caller is there, and tells how it gets there. */
export async function bot(args: RunnerArguments): Promise<void> {
  const { id } = args.call;
  tell(id, 'started');
  const transport = await openTransport(args, 'Talker');
  if (!(transport instanceof RoomsTransport)) throw new Error('this bot answers calls in rooms');
  for (const event of TOLD) transport.on(event, () => tell(id, event));
  const talker = new Talker();
  transport.on('first_participant_joined', () => talker.greet());
  await pipelineOn(args, transport, talker);
}
