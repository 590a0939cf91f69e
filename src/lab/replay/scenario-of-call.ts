import { readFileSync } from 'node:fs';
import { decodeWav } from '../../base/audio/wav.js';
import type { CallFolder } from '../../call/folder/read-call-folder.js';
import { isPhoneNumber } from '../../call/phone-number.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import { durationOf } from '../scenario/fields.js';
import type {
  DialoutOptions,
  FaultOptions,
  FaultTiming,
  ScenarioOptions,
  StepOptions,
} from '../scenario/scenario-options.js';
import { BotSpeech } from './bot-speech.js';
import { type CallerAudio, utterancesOf } from './caller-speech.js';
import { type CallerAct, stepsOf } from './replayed-steps.js';

/** A sound of the caller that a scenario plays. */
export interface Clip {
  /** Of its file, without the folder. */
  readonly name: string;
  readonly pcm: Int16Array;
  /** Hertz. */
  readonly sampleRate: number;
}

/** A recorded call as a scenario: who calls whom, what the caller does, and what breaks. */
export interface RecordedScenario {
  readonly options: ScenarioOptions;
  readonly clips: readonly Clip[];
  /** What cannot be replayed as it was, a sentence for each. */
  readonly notes: readonly string[];
}

const MOST_CHARACTERS = 1_000;
/** A call may take longer than the recorded one before the caller gives up. */
const EXTRA_MS = 60_000;

/** @param clipFolder what stands before the names of clips in the scenario, such as `bakery/` */
export function scenarioOfCall(folder: CallFolder, name: string, clipFolder: string): RecordedScenario {
  const { record, events, transcript } = folder;
  const notes = [...folder.missing];
  const endedAt = record.endedAt ?? events.at(-1)?.at ?? record.startedAt;
  const answeredAt = allOf(events, 'caller_joined')[0]?.at ?? record.answeredAt ?? record.startedAt;
  const bot = new BotSpeech(events, endedAt);
  const audio = audioOf(folder, notes);
  const origin = audio?.startedAt ?? events[0]?.at ?? record.startedAt;
  const utterances = utterancesOf(events, transcript, origin, audio, bot);
  const clips: Clip[] = [];
  const acts: CallerAct[] = utterances.map(({ from, to, words, pcm }) => {
    const spoken = words.slice(0, MOST_CHARACTERS);
    if (!pcm || !audio) return { from, to, does: { say: spoken } };
    const clip = { name: `${clips.length + 1}.wav`, pcm, sampleRate: audio.sampleRate };
    clips.push(clip);
    return { from, to, does: { play: clipFolder + clip.name, ...(spoken !== '' && { words: spoken }) } };
  });
  acts.push(...keysOf(folder, notes));
  if (record.endReason === 'caller_hung_up') acts.push({ from: endedAt, to: endedAt, does: { hangUp: true } });
  const caller: StepOptions[] = stepsOf(acts, bot, answeredAt);
  if (record.endReason !== 'caller_hung_up' && record.answeredAt !== undefined) {
    const lastAt = Math.max(answeredAt, ...acts.map(({ to }) => to));
    caller.push({ wait: durationOf(Math.min(endedAt - lastAt, EXTRA_MS) + 10_000) });
  }
  const isRoom = allOf(events, 'phase').some(({ phase }) => phase === 'opening_room');
  const faults = faultsOf(folder, bot, answeredAt, notes);
  const options: ScenarioOptions = {
    name,
    ...(isRoom && { transport: 'rooms' }),
    ...whoCalls(folder, notes),
    caller,
    ...(faults.length > 0 && { faults }),
    limit: durationOf(1.5 * (endedAt - answeredAt) + EXTRA_MS),
  };
  return { options, clips, notes };
}

const OUTCOMES: Readonly<Record<string, DialoutOptions['outcome']>> = {
  busy: 'busy',
  no_answer: 'no_answer',
  rejected: 'declined',
  not_connected: 'failed',
};

function whoCalls({ record }: CallFolder, notes: string[]): Pick<ScenarioOptions, 'from' | 'dialout'> {
  const { direction, from, to, answeredBy, answeredAt, endReason = '' } = record;
  if (direction === 'inbound') return from !== undefined && isPhoneNumber(from) ? { from } : {};
  notes.push('The custom data of the call is not kept: the bot is called with none.');
  const outcome = answeredAt === undefined ? OUTCOMES[endReason] : undefined;
  return {
    dialout: {
      ...(isPhoneNumber(to) && { to }),
      ...(outcome && { outcome }),
      ...(answeredBy === 'machine' && { machine: true }),
    },
  };
}

function audioOf({ audio }: CallFolder, notes: string[]): CallerAudio | undefined {
  if (!audio) {
    notes.push('There is no recording: a voice that needs no key says what the bot understood.');
    return undefined;
  }
  try {
    const { channels, sampleRate } = decodeWav(readFileSync(audio.path));
    return { pcm: channels[0] ?? new Int16Array(), sampleRate, startedAt: audio.startedAt };
  } catch (error) {
    notes.push(`audio.wav cannot be played (${(error as Error).message}): a voice says what the bot understood.`);
    return undefined;
  }
}

/** Keys that follow each other quickly are pressed in one go. */
const NEXT_KEY_MS = 3_000;
const KEY_GAP_MS = 100;

function keysOf({ events }: CallFolder, notes: string[]): CallerAct[] {
  const presses: Array<{ from: number; to: number; script: string }> = [];
  for (const { at, keys } of allOf(events, 'keys').filter(({ direction }) => direction === 'in')) {
    const known = keys.replace(/[^0-9A-D*#]/g, '');
    if (known === '') continue;
    const last = presses.at(-1);
    const isNext =
      last &&
      at - last.to < NEXT_KEY_MS &&
      !events.some((one) => one.type === 'speech_started' && one.at > last.to && one.at < at);
    if (!isNext) presses.push({ from: at, to: at, script: known });
    else {
      const waitMs = Math.max(0, at - last.to - KEY_GAP_MS);
      last.script += `${waitMs > KEY_GAP_MS ? ` w${(waitMs / 1_000).toFixed(2)}` : ''} ${known}`;
      last.to = at;
    }
  }
  if (allOf(events, 'keys').some(({ direction, keys }) => direction === 'in' && keys.includes('•')))
    notes.push('Keys of the caller were masked: they are not pressed.');
  return presses.map(({ from, to, script }) => ({ from, to, does: { press: script } }));
}

/** A bot that fails by itself writes why, within so long before its process ends. */
const LAST_WORDS_MS = 2_000;
/** Of a tunnel whose return was not recorded. */
const BROKEN_MS = 5_000;

/** What broke in a recorded call from outside: killed bots and lost tunnels. A bot that failed by itself is no fault to plant. */
function faultsOf({ events }: CallFolder, bot: BotSpeech, answeredAt: number, notes: string[]): FaultOptions[] {
  const timingOf = (at: number): FaultTiming => {
    const moment = bot.isHeardAt(at - 1) ? bot.momentOf(at - 1) : undefined;
    return moment ? { during: moment.during } : { after: durationOf(at - answeredAt) };
  };
  const faults: FaultOptions[] = [];
  for (const { at, outcome, bot: no } of allOf(events, 'bot_done')) {
    if (outcome !== 'lost' && outcome !== 'hung') continue;
    if (outcome === 'lost' && !saidWhy(events, at)) faults.push({ killBot: true, ...timingOf(at) });
    else notes.push(`Bot ${no} failed by itself: nothing is planted for that.`);
  }
  let reconnects = 0;
  for (const { at, record } of allOf(events, 'record')) {
    if ((record.reconnects ?? 0) <= reconnects) continue;
    reconnects = record.reconnects ?? 0;
    const lostAt = allOf(events, 'phase').findLast((one) => one.phase === 'between_streams' && one.at <= at)?.at ?? at;
    faults.push({ breakTunnel: durationOf(at > lostAt ? at - lostAt : BROKEN_MS), ...timingOf(lostAt) });
  }
  return faults;
}

const saidWhy = (events: readonly TimelineEvent[], at: number): boolean =>
  events.some(
    (one) =>
      one.type === 'output' && /error/i.test(one.line) && one.at > at - LAST_WORDS_MS && one.at <= at + LAST_WORDS_MS,
  );
