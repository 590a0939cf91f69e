import { Pipeline, PipelineTask, parseRoomsDialinRequest, RoomsTransport, type RunnerArguments } from 'voicebot';
import {
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
  ToneSource,
} from 'voicebot/pipeline';
import { tell } from '../rooms/told.js';

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
  if (args.transport !== 'rooms') throw new Error('this bot answers calls in rooms');
  const request = parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new RoomsTransport(args.room_url, args.token, 'Talker', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
  });
  for (const event of TOLD) transport.on(event, () => tell(id, event));
  const talker = new Talker();
  transport.on('first_participant_joined', () => talker.greet());
  const pipeline = new Pipeline([transport.input(), talker, transport.output()]);
  await new PipelineTask(pipeline, { signal: args.signal, idleTimeoutMs: 0 }).run();
}
