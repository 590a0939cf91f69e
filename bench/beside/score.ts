import type { CallRecord, CallScript, ModelRequest, TurnRecord } from './call-script.js';
import { markedWords } from './marked-speech.js';

/** An answer that comes later than this is none, in milliseconds. */
const ANSWER_LIMIT_MS = 7_000;
/** A bot that goes on later than this after a sound was stopped by it, in milliseconds. */
const GOES_ON_MS = 1_000;
/** Shortest silence within what the bot says that counts as one, in milliseconds. */
const SHORTEST_HOLE_MS = 60;
const BLOCK_MS = 20;

/** What one turn came to, by sound. */
export interface TurnScore {
  readonly row: string;
  /** From the caller's last sound to the bot's next first; absent when there was no answer, or the bot was speaking already. */
  readonly waitMs?: number;
  readonly isAnswered: boolean;
  /** The bot could be heard before the caller was done. */
  readonly isTalkedOver: boolean;
  /** From where both spoke to a silent bot. */
  readonly silentAfterMs?: number;
  /** The words that the bot had said too soon are in the context of the next request. */
  readonly isHalfKept?: boolean;
  /** The request whose answer was heard has all that was said in this turn. */
  readonly isWholeAnswered?: boolean;
}

/** What a sound over the bot came to. */
export interface SoundScore {
  readonly row: string;
  /** The bot did not go on to its end, or not within a second of the sound's. */
  readonly isStopped: boolean;
  /** Longest silence in what the bot was saying; absent where there was none, or it did not go on. */
  readonly holeMs?: number;
  /** The bot said something else. */
  readonly isAnswered: boolean;
}

export interface GreetingScore {
  readonly isStopped: boolean;
  readonly lostWords: number;
}

export interface CallScore {
  readonly turns: TurnScore[];
  readonly sounds: SoundScore[];
  readonly greeting: GreetingScore;
}

type Heard = CallRecord['heard'];

export function scoreOf(record: CallRecord, script: CallScript, requests: readonly ModelRequest[]): CallScore {
  const score: CallScore = { turns: [], sounds: [], greeting: greetingOf(record, script) };
  record.turns.forEach((turn, index) => {
    const { row } = turn;
    const scripted = script.turns[index];
    if (row === undefined || !scripted) return;
    const until = record.turns[index + 1]?.stretches[0]?.[0] ?? record.endedAt;
    if (!scripted.isAnswered) score.sounds.push(soundOf(row, turn, record.heard, until, script.answerWords));
    else if (scripted.intoAnswerMs !== undefined) score.turns.push(interruptionOf(row, turn, record.heard, until));
    else {
      const texts = scripted.stretches.map(({ text }) => text);
      score.turns.push(turnOf(row, turn, record.heard, until, texts, requests));
    }
  });
  return score;
}

function turnOf(
  row: string,
  { stretches }: TurnRecord,
  heard: Heard,
  until: number,
  texts: readonly string[],
  requests: readonly ModelRequest[],
): TurnScore {
  const [from] = stretches[0] as readonly [number, number];
  const [, end] = stretches.at(-1) as readonly [number, number];
  const early = heard.find(({ at }) => at >= from && at < end);
  const answer = heard.find(
    (block) => block.at >= end && block.at < Math.min(until, end + ANSWER_LIMIT_MS) && block.answer !== early?.answer,
  );
  const base = { row, isAnswered: answer !== undefined, isTalkedOver: early !== undefined };
  const request = answer && requests.findLast(({ at, answer: of }) => at < answer.at && of % 12 === answer.answer);
  const isWhole = request !== undefined && texts.every((text) => hasUserWords(request, text));
  if (!early) return { ...base, ...(answer && { waitMs: answer.at - end }), isWholeAnswered: isWhole };
  // the caller goes on: from then on both speak
  const both = stretches.find(([, until]) => until > early.at)?.[0] ?? early.at;
  const last = heard.findLast(({ at, answer: of }) => at >= from && at < until && of === early.answer);
  return {
    ...base,
    silentAfterMs: Math.max(0, (last?.at ?? early.at) + BLOCK_MS - Math.max(both, early.at)),
    isHalfKept:
      request?.messages.some(
        ({ role, text }) => role === 'assistant' && markedWords(text).some(({ answer }) => answer === early.answer),
      ) ?? false,
    isWholeAnswered: isWhole,
  };
}

function interruptionOf(row: string, { stretches }: TurnRecord, heard: Heard, until: number): TurnScore {
  const [from, end] = stretches[0] as readonly [number, number];
  const interrupted = heard.findLast(({ at }) => at < from);
  const last = heard.findLast(({ at, answer }) => at < until && answer === interrupted?.answer);
  const answer = heard.find(({ at, answer }) => at >= end && at < until && answer !== interrupted?.answer);
  return {
    row,
    isAnswered: answer !== undefined,
    isTalkedOver: false,
    ...(answer && { waitMs: answer.at - end }),
    ...(last && last.at >= from && { silentAfterMs: last.at + BLOCK_MS - from }),
  };
}

function soundOf(row: string, { stretches }: TurnRecord, heard: Heard, until: number, words: number): SoundScore {
  const [from, end] = stretches[0] as readonly [number, number];
  const saying = heard.findLast(({ at }) => at < from);
  const after = heard.filter(({ at }) => at >= from && at < until);
  const rest = after.filter(({ answer }) => answer === saying?.answer);
  const isFinished = rest.some(({ word }) => word === words - 1);
  const { holeMs, goesOnAt } = longestHole(saying ? [saying, ...rest] : rest);
  const hasHole = holeMs >= SHORTEST_HOLE_MS;
  return {
    row,
    isStopped: !isFinished || (hasHole && goesOnAt > end + GOES_ON_MS),
    ...(isFinished && hasHole && { holeMs }),
    isAnswered: after.some(({ answer }) => answer !== saying?.answer),
  };
}

function greetingOf({ heard, turns, endedAt }: CallRecord, { greetingWords }: CallScript): GreetingScore {
  const until = turns[0]?.stretches[0]?.[0] ?? endedAt;
  const greeting = heard.filter(({ at, answer }) => at < until && answer === 0);
  const words = new Set(greeting.map(({ word }) => word));
  const lostWords = greetingWords - words.size;
  return { isStopped: lostWords > 0 || longestHole(greeting).holeMs > GOES_ON_MS / 2, lostWords };
}

function longestHole(blocks: Heard): { holeMs: number; goesOnAt: number } {
  let longest = { holeMs: 0, goesOnAt: 0 };
  blocks.forEach(({ at }, index) => {
    const before = blocks[index - 1];
    const holeMs = before ? at - before.at - BLOCK_MS : 0;
    if (holeMs > longest.holeMs) longest = { holeMs, goesOnAt: at };
  });
  return longest;
}

const plain = (text: string) => (text.toLowerCase().match(/[a-z']+/g) ?? []).join(' ');

function hasUserWords({ messages }: ModelRequest, text: string): boolean {
  const said = messages.filter(({ role }) => role === 'user').map((message) => plain(message.text));
  return ` ${said.join(' ')} `.includes(` ${plain(text)} `);
}
