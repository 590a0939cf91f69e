import {
  EndFrame,
  Pipeline,
  PipelineTask,
  parseRoomsDialinRequest,
  RoomsTransport,
  type RunnerArguments,
  type VoicebotError,
} from 'voicebot';
import {
  type DtmfDigit,
  DtmfFrame,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
} from 'voicebot/pipeline';

const RATE = 8_000;
/** What a key sequence `*nnnn` has the caller transferred to, beside the sandbox's numbers +1202555nnnn. */
const REFUSED: Record<string, string> = { '9901': '+442079460000', '9902': 'hello', '9903': '+19005550100' };

const tone = (pitch: number, ms: number) =>
  new OutputAudioFrame(
    Int16Array.from({ length: (RATE * ms) / 1_000 }, (_, n) => 8_000 * Math.sin((2 * Math.PI * pitch * n) / RATE)),
    RATE,
  );

/**
 * Plays tones in place of speech, does what the other party's keys say, and tells everything that happens to it. Greets
 * at `body.pitch`, or at what the last four digits of the caller's number say, and 200 Hz higher for each bot before it.
 */
export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('a call in a room');
  const { room_url, token, body, phone_number: phoneNumber, call, signal } = args;
  const tell = (event: string, data: unknown = {}) => {
    const { id, attempt } = call;
    console.error(JSON.stringify({ call: id, attempt, pid: process.pid, at: Date.now(), event, data }));
  };
  tell('start', { room_url, phoneNumber, body, tokenLength: token.length });
  const data: Record<string, unknown> = Object(body);
  const pitch = Number(data.pitch ?? /^\+1555000(\d{4})$/.exec(call.from ?? '')?.[1] ?? 800) + 200 * (call.attempt - 1);

  class Tones extends FrameProcessor {
    #isEchoing = false;
    #number: string | undefined;

    override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
      if (frame instanceof DtmfFrame) return this.#choose(frame.digit);
      if (!(frame instanceof InputAudioFrame)) this.push(frame, direction);
      else if (this.#isEchoing) this.push(new OutputAudioFrame(frame.pcm, frame.sampleRate));
    }

    say(...frames: OutputAudioFrame[]): void {
      for (const frame of frames) this.push(frame);
    }

    end(): void {
      this.push(new EndFrame());
    }

    /** 1 answers, 2 echoes, 3 talks for long, 9 says goodbye, `*nnnn` transfers. */
    #choose(digit: DtmfDigit): void | Promise<void> {
      tell('key', digit);
      if (digit === '*') this.#number = '';
      else if (this.#number !== undefined) {
        this.#number += digit;
        if (this.#number.length < 4) return;
        const number = this.#number;
        this.#number = undefined;
        return this.#transfer(REFUSED[number] ?? `+1202555${number}`);
      } else if (digit === '1') this.say(tone(1_100, 400));
      else if (digit === '2') this.#isEchoing = true;
      else if (digit === '3') this.say(tone(pitch, 20_000));
      else if (digit === '9') {
        this.say(tone(1_700, 300));
        this.end();
      }
    }

    async #transfer(to: string): Promise<void> {
      const announce = [tone(700, 600), tone(900, 400)];
      const outcome = await transport.transfer(to, { announce }).catch((error: VoicebotError) => {
        return { status: 'refused', code: error.code, detail: error.message } as const;
      });
      tell('outcome', outcome);
      if (outcome.status === 'answered') this.end();
      else if (outcome.status !== 'caller_left') this.say(tone(1_300, 300));
    }
  }

  const transport = roomsTransport();
  const tones = new Tones();
  transport.on(phoneNumber ? 'dialout_answered' : 'first_participant_joined', () => {
    tones.say(tone(pitch, 600));
    if (typeof data.endsAfterMs === 'number') setTimeout(() => tones.end(), data.endsAfterMs);
  });
  for (const event of EVENTS) transport.on(event, (_transport: unknown, data: unknown) => tell(event, data));
  const pipeline = new Pipeline([transport.input(), tones, transport.output()]);
  const rate = Number(process.env.PIPELINE_RATE ?? RATE);
  const task = new PipelineTask(pipeline, { signal, audioInSampleRate: rate, audioOutSampleRate: rate });
  const running = task.run();
  await Promise.all([running, phoneNumber && transport.startDialout({ phoneNumber })]);
  tell('done');

  function roomsTransport(): RoomsTransport {
    if (phoneNumber) {
      return new RoomsTransport(room_url, token, 'Tones', { apiKey: process.env.ROOMS_API_KEY ?? '' });
    }
    const { dialin_settings, daily_api_key: apiKey, daily_api_url: apiUrl } = parseRoomsDialinRequest(body);
    const dialinSettings = { callId: dialin_settings.call_id, callDomain: dialin_settings.call_domain };
    return new RoomsTransport(room_url, token, 'Tones', { apiKey, apiUrl, dialinSettings });
  }
}

const EVENTS = [
  'joined',
  'first_participant_joined',
  'participant_joined',
  'participant_left',
  'dialin_ready',
  'dialin_connected',
  'dialin_stopped',
  'dialin_error',
  'dialout_connected',
  'dialout_answered',
  'dialout_stopped',
  'dialout_error',
  'dtmf',
  'left',
  'error',
] as const;
