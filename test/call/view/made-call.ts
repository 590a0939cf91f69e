import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { callFolderName, callFoldersDirectory } from '../../../src/call/folder/folder-name.js';
import type { BotEntry, RunnerEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { audioOf } from '../../lab/scenario/stories.js';
import { MadeTalk, TALK_AT } from './made-talk.js';

const SAMPLE_RATE = 8_000;
/** When the recording begins, in milliseconds of the call. */
const RECORDING_AT = 620;
const CALL_MS = 47_300;

/** A call to a bakery, as a carrier, a runner and a bot would have noted it. */
export interface MadeCall {
  readonly record: CallRecord;
  readonly events: readonly TimelineEvent[];
  /** Both sides, 8 kHz. */
  readonly channels: () => [Int16Array, Int16Array];
}

export interface MadeCallOptions {
  /** Milliseconds since the Unix epoch. */
  readonly startedAt?: number;
  readonly id?: string;
  readonly record?: Partial<CallRecord>;
  /** Leaves out what comes later, in milliseconds of the call: as of a call that goes on. */
  readonly untilMs?: number;
  /** What the caller asks first. */
  readonly question?: string;
}

const DOCUMENT = `<?xml version="1.0" encoding="UTF-8"?>
<Response>
  <Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000">wss://bot.example.com/ws/7f0c/…</Stream>
  <Redirect method="POST">https://bot.example.com/resume?…</Redirect>
</Response>`;

/** Five turns in 47 seconds: a tool, a key, an interruption, and a transfer that nobody answers. */
export function madeCall(options: MadeCallOptions = {}): MadeCall {
  const { startedAt = Date.UTC(2026, 5, 3, 9, 30, 5), id = '0b0d3f5e-6f7a-4c4e-9f6a-2f1f5a4c9d11', untilMs } = options;
  const { question = 'Hi. Are you open on Sunday, and do you have rye bread?' } = options;
  const script = new Script(startedAt);
  const base: CallRecord = {
    id: asCallId(id),
    providerCallId: id,
    direction: 'inbound',
    from: '+12025550142',
    to: '+12025550100',
    state: 'ringing',
    attempt: 1,
    startedAt,
  };
  const answered: CallRecord = { ...base, state: 'starting', answeredAt: startedAt + 40 };
  const connected: CallRecord = { ...answered, state: 'connected', connectedAt: startedAt + 640 };
  const ended: CallRecord = {
    ...connected,
    state: 'ended',
    endedAt: startedAt + 47_300,
    endReason: 'caller_hung_up',
    ...options.record,
  };

  script.runner(0, { type: 'record', record: base });
  script.runner(1, { type: 'phase', phase: 'ringing' });
  script.runner(38, { type: 'phase', phase: 'waiting_for_stream' });
  script.runner(40, { type: 'webhook', path: '/answer', event: 'StartApp', status: 200, ms: 38 });
  script.runner(40.2, { type: 'document', path: '/answer', document: DOCUMENT });
  script.runner(41, { type: 'record', record: answered });
  script.runner(412, { type: 'phase', phase: 'starting' });
  script.runner(413, { type: 'bot_assigned', bot: 7 });
  script.runner(640, { type: 'phase', phase: 'talking' });
  script.runner(641, { type: 'record', record: connected });
  script.bot(618, { type: 'wire', direction: 'in', name: 'start', detail: 'b1a7c1de-stream' });
  const recordedAt = startedAt + RECORDING_AT;
  script.bot(620, { type: 'recording', is: 'started', startedAt: recordedAt, sampleRate: SAMPLE_RATE });
  script.bot(622, { type: 'caller_joined' });
  script.bot(624, { type: 'log', level: 'info', message: 'conversation begins', fields: { model: 'gpt-4.1-mini' } });

  script.says('bot', 900, 3_800, 'Hello, this is Bluebird Bakery. How can I help you?');
  script.says('caller', 4_900, 7_700, question, 210);
  script.answers(1, 7_700, { transcript: 180, model: 190, token: 640, voice: 700, audio: 910, heard: 960 });
  script.runs(8_350, 124, 'openingHours', { day: 'sunday' }, { opens: '08:00', closes: '13:00' });
  script.says(
    'bot',
    8_660,
    13_100,
    'Yes, on Sunday we are open from eight until one. And yes, there is rye bread, baked on Saturday night.',
  );
  script.turn(1, 13_100);
  script.says('caller', 14_200, 16_000, 'Can you keep two loaves for me?', 230);
  script.answers(2, 16_000, { transcript: 210, model: 560, token: 1_240, voice: 1_300, audio: 1_640, heard: 1_690 });
  script.says('bot', 17_690, 20_400, 'Gladly. I have put two loaves of rye bread aside', {
    unheard: 'for you. They are at the counter under your number until noon.',
    wasInterrupted: true,
  });
  script.turn(2, 20_400, true);
  script.bot(20_410, { type: 'wire', direction: 'out', name: 'clear' });
  script.says('caller', 20_100, 22_300, 'Sorry, three. Make it three, please.', 190);
  script.answers(3, 22_300, { transcript: 170, model: 180, token: 590, voice: 640, audio: 830, heard: 880 });
  script.says('bot', 23_180, 25_600, 'Three loaves, then. Anything else?');
  script.turn(3, 25_600);
  script.bot(27_000, { type: 'keys', direction: 'in', keys: '0' });
  script.bot(27_000.4, { type: 'wire', direction: 'in', name: 'dtmf', detail: '0' });
  script.bot(27_050, { type: 'transfer_asked', to: '+12025550199' });
  script.runner(27_060, { type: 'phase', phase: 'transferring' });
  script.runner(27_390, {
    type: 'request',
    method: 'POST',
    path: '/v1/Account/MA…/Call/0b0d3f5e/',
    status: 202,
    ms: 318,
  });
  script.says('bot', 27_300, 28_600, 'One moment, please.');
  script.runner(37_700, { type: 'webhook', path: '/transfer-ended', event: 'Redirect', status: 200, ms: 12 });
  script.runner(37_702, { type: 'phase', phase: 'returning' });
  script.runner(37_900, { type: 'phase', phase: 'talking' });
  script.bot(37_720, {
    type: 'transfer_over',
    to: '+12025550199',
    status: 'no_answer',
    detail: 'nobody answered within 10 s',
  });
  script.says('bot', 38_200, 41_000, 'Nobody is at the desk. Shall I take a message?');
  script.bot(41_100, {
    type: 'warning',
    message: 'The speech provider was slow to confirm a transcript',
    from: 'DeepgramSTTService',
  });
  script.says('caller', 42_300, 43_900, 'No, thank you. Bye!', 640);
  script.answers(4, 43_900, { transcript: 620, model: 640, token: 1_180, voice: 1_240, audio: 2_210, heard: 2_260 });
  script.says('bot', 46_160, 47_300, 'Goodbye, and see you', { unheard: 'on Sunday!', wasInterrupted: true });
  script.turn(4, 47_300, true);
  script.marks();
  script.bot(47_280, { type: 'wire', direction: 'in', name: 'stop' });
  script.runner(47_290, { type: 'webhook', path: '/hangup', event: 'Hangup', status: 200, ms: 4 });
  script.runner(47_300, { type: 'phase', phase: 'ended' });
  script.runner(47_301, { type: 'record', record: ended });
  script.runner(47_350, { type: 'output', line: 'bakery: 3 loaves kept' });
  script.runner(47_420, { type: 'bot_done', bot: 7, outcome: 'returned' });

  const end = startedAt + (untilMs ?? Number.POSITIVE_INFINITY);
  const events = script.events.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
  const record = events.findLast((event) => event.type === 'record')?.record ?? base;
  const heardMs = Math.min(untilMs ?? CALL_MS, CALL_MS);
  return { record, events, channels: () => sound(script.speech, heardMs) };
}

/** A call whose bot answers before the caller has finished, and stops for a sound. */
export function rudeCall(): MadeCall {
  const { record, events } = madeCall();
  const talk = new MadeTalk(20_000)
    .says(1_000, 2_000, 'I would like')
    .answers(2_500, 3_200, 'What', 'would you like?')
    .says(2_800, 4_000, 'a table.')
    .answers(5_000, 8_000, 'For', 'how many?')
    .says(7_700, 7_900)
    .answers(10_500, 12_000, 'For how many?')
    .ends();
  const shift = record.startedAt - TALK_AT;
  const shifted = talk.events.map((event) => ({
    ...event,
    at: event.at + shift,
    ...('startedAt' in event && { startedAt: Number(event.startedAt) + shift }),
  })) as TimelineEvent[];
  const kept = events.filter(({ type }) => type === 'record');
  const recording = { type: 'recording', is: 'started', startedAt: record.startedAt, sampleRate: SAMPLE_RATE } as const;
  return {
    record,
    events: [...kept, ...shifted, { ...recording, at: record.startedAt, source: 'bot', bot: 1 }],
    channels: () => [audioOf(20_000, ...talk.caller), audioOf(20_000, ...talk.bot)],
  };
}

/** Writes a call as its folder. @returns the path of the folder */
export function keepCall(stateDirectory: string, { record, events, channels }: MadeCall): string {
  const folder = join(callFoldersDirectory(stateDirectory), callFolderName(record.id, record.startedAt));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'call.json'), JSON.stringify({ version: 1, ...record }));
  writeFileSync(join(folder, 'events.ndjson'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  writeFileSync(
    join(folder, 'audio.wav'),
    encodeWav({ sampleRate: SAMPLE_RATE, channels: channels(), encoding: 'L16' }),
  );
  return folder;
}

interface Speech {
  readonly speaker: 'caller' | 'bot';
  readonly from: number;
  readonly to: number;
}

interface AnswerTimes {
  readonly transcript: number;
  readonly model: number;
  readonly token: number;
  readonly voice: number;
  readonly audio: number;
  readonly heard: number;
}

/** Times are milliseconds from the start of the call. */
class Script {
  readonly events: TimelineEvent[] = [];
  readonly speech: Speech[] = [];
  readonly #answers = new Map<number, { at: number; times: AnswerTimes }>();

  constructor(private readonly startedAt: number) {}

  runner(ms: number, entry: RunnerEntry): void {
    this.events.push({ at: this.startedAt + ms, source: 'runner', ...entry });
  }

  bot(ms: number, entry: BotEntry): void {
    this.events.push({ at: this.startedAt + ms, source: 'bot', bot: 1, ...entry });
  }

  /** @param rest of the caller: how long the transcript takes; of the bot: what was not heard */
  says(
    speaker: 'caller' | 'bot',
    from: number,
    to: number,
    text: string,
    rest: number | { unheard: string; wasInterrupted: boolean } = 0,
  ): void {
    this.speech.push({ speaker, from, to });
    this.bot(from, { type: 'speech_started', speaker });
    const wasInterrupted = typeof rest === 'object';
    this.bot(to, { type: 'speech_stopped', speaker, ...(speaker === 'bot' && { heardMs: to - from, wasInterrupted }) });
    if (speaker === 'caller') this.bot(to + Number(rest), { type: 'said', speaker, text });
    else
      this.bot(to, {
        type: 'said',
        speaker,
        text,
        startedAt: this.startedAt + from,
        wasInterrupted: false,
        ...Object(rest),
      });
  }

  answers(turn: number, at: number, times: AnswerTimes): void {
    this.#answers.set(turn, { at, times });
    const asked = { turn, response: turn };
    this.bot(at + times.transcript, { type: 'turn_started', turn });
    this.bot(at + times.model, { type: 'model_asked', ...asked, model: 'gpt-4.1-mini', provider: 'openai.chat' });
    this.bot(at + times.voice + 300, {
      type: 'model_answered',
      ...asked,
      ms: times.voice + 300 - times.model,
      inputTokens: 212 + 40 * turn,
      outputTokens: 31,
      finishReason: 'stop',
    });
  }

  turn(turn: number, until: number, wasInterrupted = false): void {
    const { at, times } = this.#answers.get(turn) as { at: number; times: AnswerTimes };
    this.bot(until + 1, {
      type: 'turn_ended',
      startedAt: this.startedAt + at,
      turn,
      since: 'caller_stopped',
      finalTranscriptMs: times.transcript,
      modelRequestedMs: times.model,
      firstTokenMs: times.token,
      speechRequestedMs: times.voice,
      firstAudioMs: times.audio,
      firstReleasedMs: times.heard,
      wasInterrupted,
    });
  }

  runs(ms: number, took: number, name: string, input: unknown, output: unknown): void {
    this.bot(ms, { type: 'tool_called', turn: 1, call: 'call_1', name, input });
    this.bot(ms + took, { type: 'tool_returned', call: 'call_1', name, output, isError: false, ms: took });
  }

  /** While the bot speaks, a mark goes out every second and comes back when it was played. */
  marks(): void {
    for (const { speaker, from, to } of this.speech) {
      if (speaker === 'caller') continue;
      for (let ms = from + 1_000; ms < to; ms += 1_000) {
        this.bot(ms - 900, { type: 'wire', direction: 'out', name: 'mark', detail: `m${ms}` });
        this.bot(ms, { type: 'wire', direction: 'in', name: 'mark', detail: `m${ms}` });
      }
    }
  }
}

const sounds = new Map<number, [Int16Array, Int16Array]>();

/** Something like speech: syllables of a hum, some louder than others. */
function sound(speech: readonly Speech[], untilMs: number): [Int16Array, Int16Array] {
  const made = sounds.get(untilMs) ?? makeSound(speech, untilMs);
  sounds.set(untilMs, made);
  return made;
}

function makeSound(speech: readonly Speech[], untilMs: number): [Int16Array, Int16Array] {
  const length = Math.max(0, Math.floor(((untilMs - RECORDING_AT) * SAMPLE_RATE) / 1_000));
  const channels: [Int16Array, Int16Array] = [new Int16Array(length), new Int16Array(length)];
  for (const { speaker, from, to } of speech) {
    const channel = channels[speaker === 'caller' ? 0 : 1];
    const hertz = speaker === 'caller' ? 190 : 120;
    const first = Math.floor(((from - RECORDING_AT) * SAMPLE_RATE) / 1_000);
    const last = Math.min(length, Math.floor(((to - RECORDING_AT) * SAMPLE_RATE) / 1_000));
    for (let at = Math.max(0, first); at < last; at += 1) {
      const seconds = (at - first) / SAMPLE_RATE;
      const syllable = Math.max(0, Math.sin(seconds * 13) + 0.4 * Math.sin(seconds * 3.1 + hertz));
      const tone = Math.sin(2 * Math.PI * hertz * seconds) + 0.5 * Math.sin(4 * Math.PI * hertz * seconds);
      channel[at] = 7_000 * syllable * tone * (0.75 + 0.25 * Math.sin(at * at));
    }
  }
  return channels;
}
