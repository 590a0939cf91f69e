/** The carrier of the bench and its callers, who follow scripts, and the ears of the bots. */
import { setTimeout as delay } from 'node:timers/promises';
import { BenchCarrier } from '../processes/carrier.js';
import { commonNow, commonTime } from '../processes/clock.js';
import { Metronome } from '../processes/metronome.js';
import { answer, usage } from '../processes/questions.js';
import type { CallRecord, CallScript, ScriptedTurn, TurnRecord } from './call-script.js';
import { Ears, Hearing } from './ears.js';
import { ScriptedLine } from './scripted-line.js';

/** Longest wait for an answer, and for the end of one, in milliseconds. */
const ANSWER_LIMIT_MS = 8_000;
const QUIET_LIMIT_MS = 30_000;

const carrier = new BenchCarrier();
const ears = new Ears();
const earsUrl = ears.start();

const questions = {
  earsUrl: () => earsUrl,
  usage,

  /** Has all calls take place, so many at a time. @returns their records, in the order of the scripts */
  async run(url: string, scripts: readonly CallScript[], atOnce: number): Promise<CallRecord[]> {
    const records: CallRecord[] = [];
    let next = 0;
    const follow = async (lane: number) => {
      await delay(lane * 300);
      for (let index = next++; index < scripts.length; index = next++) {
        records[index] = await call(url, scripts[index] as CallScript);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, scripts.length) }, (_, lane) => follow(lane)));
    return records;
  },
};
export type ScriptedCallers = typeof questions;

answer(questions);

async function call(url: string, script: CallScript): Promise<CallRecord> {
  const place = carrier.callAt(url);
  const { id: callId } = place.call;
  ears.expect(callId, script);
  const line = new ScriptedLine(place, script.noise);
  const hearing = new Hearing(script.ears, (message) => ears.tell(callId, message));
  let answeredAt = commonNow();
  const metronome = new Metronome([line], 1);
  const turns: TurnRecord[] = [];
  let isBroken = false;
  try {
    await line.opened;
    answeredAt = commonNow();
    await follow(line, hearing, script, turns);
  } catch (error) {
    isBroken = true;
    console.error(`${callId}: ${(error as Error).message}`);
  } finally {
    metronome.stop();
    hearing.close();
    await line.close().catch(() => {});
  }
  const endedAt = commonNow();
  return { callId, answeredAt, endedAt, turns, heard: await line.heard(), isBroken };
}

async function follow(
  line: ScriptedLine,
  hearing: Hearing,
  { turns, tailMs }: CallScript,
  records: TurnRecord[],
): Promise<void> {
  let begunSince = 0;
  await line.speaking(0, 0, ANSWER_LIMIT_MS);
  for (const turn of turns) {
    if (turn.intoAnswerMs === undefined) await line.quiet(turn.quietMs, QUIET_LIMIT_MS);
    else await line.speaking(begunSince, turn.intoAnswerMs, ANSWER_LIMIT_MS);
    records.push({ row: turn.row, stretches: await take(line, hearing, turn) });
    begunSince = performance.now();
    if (turn.isAnswered) await line.speaking(begunSince, 0, ANSWER_LIMIT_MS);
  }
  const until = performance.now() + tailMs;
  await line.quiet(Math.min(2_000, tailMs), QUIET_LIMIT_MS);
  const leftMs = until - performance.now();
  if (leftMs > 0) await delay(leftMs);
}

/** Says the stretches of one turn. */
async function take(
  line: ScriptedLine,
  hearing: Hearing,
  { stretches, pauseMs }: ScriptedTurn,
): Promise<Array<readonly [number, number]>> {
  const said: Array<readonly [number, number]> = [];
  for (const [index, stretch] of stretches.entries()) {
    if (index > 0) await delay(pauseMs - 10); // the next frame is on its way within 20 ms
    const sound = Buffer.from(stretch.audio, 'base64');
    const [from, until] = await line.play(sound, () => hearing.begins(stretch));
    hearing.ends();
    said.push([commonTime(from), commonTime(until)]);
  }
  return said;
}
