import {
  EndFrame,
  Pipeline,
  PipelineTask,
  parseRoomsDialinRequest,
  RoomsTransport,
  type RunnerArguments,
} from 'voicebot';
import {
  DtmfFrame,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
} from 'voicebot/pipeline';

const RATE = 8_000;
/** What it says, in hertz. */
const PITCH = 800;
/** How long it goes on, in seconds: longer than a test. */
const SECONDS = 60;
/** Whoever presses `*` is transferred there: it rings for two seconds and answers. */
const OPERATOR = '+12025550105';

/** Says one tone from when the other party is there to the end of the call, and tells what happens to it. */
export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('a call in a room');
  const { room_url, token, body, phone_number: phoneNumber, call, signal } = args;
  const tell = (event: string, data: unknown = {}) => {
    const { id, attempt } = call;
    console.error(JSON.stringify({ call: id, attempt, pid: process.pid, event, data }));
  };
  tell('start');

  class TalksOn extends FrameProcessor {
    override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
      if (frame instanceof DtmfFrame && frame.digit === '*') return this.#transfer();
      if (!(frame instanceof InputAudioFrame)) this.push(frame, direction);
    }

    talk(): void {
      const wave = (_: unknown, n: number) => 8_000 * Math.sin((2 * Math.PI * PITCH * n) / RATE);
      this.push(new OutputAudioFrame(Int16Array.from({ length: RATE * SECONDS }, wave), RATE));
    }

    async #transfer(): Promise<void> {
      this.interrupt();
      const outcome = await transport.transfer(OPERATOR).catch((error: Error) => error.message);
      tell('outcome', outcome);
      this.push(new EndFrame());
    }
  }

  const transport = roomsTransport();
  const talker = new TalksOn();
  transport.on(phoneNumber ? 'dialout_answered' : 'first_participant_joined', () => talker.talk());
  for (const event of ['joined', 'dialout_connected', 'dialout_answered'] as const) {
    transport.on(event, (_transport: unknown, data: unknown) => tell(event, data));
  }
  const running = new PipelineTask(new Pipeline([transport.input(), talker, transport.output()]), {
    signal,
  }).run();
  await Promise.all([running, phoneNumber && transport.startDialout({ phoneNumber })]);
  tell('done');

  function roomsTransport(): RoomsTransport {
    if (phoneNumber) {
      return new RoomsTransport(room_url, token, 'Talks on', { apiKey: process.env.ROOMS_API_KEY ?? '' });
    }
    const { dialin_settings, daily_api_key: apiKey, daily_api_url: apiUrl } = parseRoomsDialinRequest(body);
    const dialinSettings = { callId: dialin_settings.call_id, callDomain: dialin_settings.call_domain };
    return new RoomsTransport(room_url, token, 'Talks on', { apiKey, apiUrl, dialinSettings });
  }
}
