import type { RunnerArguments } from 'voicebot';
import type { DtmfDigit } from 'voicebot/pipeline';
import { act, type Line, tone } from '../../bots/acting-bot.js';
import { roomTransport } from '../../bots/call-transport.js';

const RATE = Number(process.env.PIPELINE_RATE ?? 8_000);
/** What a key sequence `*nnnn` has the caller transferred to, beside the sandbox's numbers +1202555nnnn. */
const REFUSED: Record<string, string> = { '9901': '+442079460000', '9902': 'hello' };

/**
 * Plays tones in place of speech, does what the other party's keys say, and tells everything that happens to it. Greets
 * at `body.pitch`, or at what the last four digits of the caller's number say, and 200 Hz higher for each bot before it.
 */
export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('a call in a room');
  const { room_url, token, body, phone_number: phoneNumber, call } = args;
  const tell = (event: string, data: unknown = {}) => {
    const { id, attempt } = call;
    console.error(JSON.stringify({ call: id, attempt, pid: process.pid, at: Date.now(), event, data }));
  };
  tell('start', { room_url, phoneNumber, body, tokenLength: token.length });
  const data: Record<string, unknown> = Object(body);
  const pitch = Number(data.pitch ?? /^\+1555000(\d{4})$/.exec(call.from ?? '')?.[1] ?? 800) + 200 * (call.attempt - 1);
  let number: string | undefined;

  /** 1 answers, 2 echoes, 3 talks for long, 9 says goodbye, `*nnnn` transfers. */
  const press = (digit: DtmfDigit, line: Line): void | Promise<void> => {
    tell('key', digit);
    if (digit === '*') number = '';
    else if (number !== undefined) {
      number += digit;
      if (number.length < 4) return;
      const to = REFUSED[number] ?? `+1202555${number}`;
      number = undefined;
      const announce = [tone(700, 600), tone(900, 400)];
      return line.connect(to, announce, (outcome) => tell('outcome', outcome), tone(1_300, 300));
    } else if (digit === '1') line.say(tone(1_100, 400));
    else if (digit === '2') line.isEchoing = true;
    else if (digit === '3') line.say(tone(pitch, 20_000));
    else if (digit === '9') {
      line.say(tone(1_700, 300));
      line.end();
    }
  };
  const greet = (line: Line) => {
    line.say(tone(pitch, 600));
    if (typeof data.endsAfterMs === 'number') setTimeout(() => line.end(), data.endsAfterMs);
  };

  const transport = roomTransport(args, 'Tones');
  for (const event of EVENTS) transport.on(event, (_transport: unknown, data: unknown) => tell(event, data));
  await act(args, transport, { greet, press }, { audioInSampleRate: RATE, audioOutSampleRate: RATE });
  tell('done');
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
