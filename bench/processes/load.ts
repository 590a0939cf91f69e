/** The carrier whose account is its argument, Plivo by default: places calls, sends 50 frames of audio a second on each, and measures what comes back. */
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../statistics.js';
import { accountIn } from './account.js';
import { botIsReady } from './bot-is-ready.js';
import { BenchCarrier, type StreamPlace } from './carrier.js';
import { type EchoResult, echoOf } from './echo.js';
import { Line, LineMeasurements } from './line.js';
import { Metronome } from './metronome.js';
import { answer } from './questions.js';

/** Time for what is still on its way at the end of a measurement, in milliseconds. */
const LATE_MS = 500;
/** Between the beginnings of two calls, in milliseconds: callers do not all come at the same instant. */
const BETWEEN_CALLS_MS = 10;
const carrier = new BenchCarrier(accountIn(process.argv[2]));

let lines: Line[] = [];
let metronome: Metronome | undefined;
/** Ends each call at the runner, as the carrier does when the stream has closed. */
let hangUps: Array<() => Promise<void>> = [];

/** What became of callers who came within a short time. */
export interface RushResult {
  /** Milliseconds from each caller's first request to the bot's first audio, of those who heard one. */
  firstAudio: number[];
  /** Callers who heard that it is busy. */
  refused: number;
  /** Milliseconds until the last of them knew. */
  refusedWithinMs: number;
  /** Callers who were answered and heard no bot. */
  unserved: number;
}

/** Times are milliseconds. */
export interface LoadResult extends EchoResult {
  /** As {@link echoDelay}, until the caller hears it. */
  heardDelay: { p95: number };
  gap: { p50: number; p99: number; max: number };
  /** Until the bot's first audio, from the opening of the stream. */
  firstAudio: { p95: number };
  /** Of what the callers heard, missing, in per cent; and the longest stretch of each call. */
  missing: { percent: number; longest: { p95: number } };
}

const questions = {
  /** Opens a stream to each address, one shortly after the other, and speaks on them. */
  async connect(urls: string[]): Promise<void> {
    metronome = new Metronome(lines, urls.length);
    for (const url of urls) {
      lines.push(await openLine(carrier.callAt(url)));
      await delay(BETWEEN_CALLS_MS);
    }
  },

  /** Places calls with a runner, one after the other, and speaks on them. */
  async dial(runnerUrl: string, calls: number): Promise<void> {
    metronome = new Metronome(lines, calls);
    for (let call = 0; call < calls; call += 1) {
      const { place } = await carrier.call(runnerUrl);
      lines.push(await openLine(place));
      hangUps.push(() => carrier.hangUp(runnerUrl, place.call));
      await botIsReady(runnerUrl);
    }
  },

  async measure(windowMs: number): Promise<LoadResult> {
    const measurements = lines.map((line) => {
      const measured = new LineMeasurements(windowMs);
      line.measurements = measured;
      return measured;
    });
    await delay(windowMs + LATE_MS);
    for (const line of lines) line.measurements = undefined;
    const ended = lines.filter((line) => !line.isOpen).length;
    if (ended > 0) throw new Error(`${ended} of ${lines.length} calls have ended`);
    const heardDelays = measurements.flatMap((one) => one.heardDelays);
    const gaps = measurements.flatMap((one) => one.gaps);
    const total = (value: (one: LineMeasurements) => number) => measurements.reduce((sum, one) => sum + value(one), 0);
    const missingMs = total((one) => one.missingMs);
    const longest = measurements.map((one) => one.longestMissingMs);
    return {
      ...echoOf(measurements),
      heardDelay: { p95: percentile(heardDelays, 0.95) },
      firstAudio: {
        p95: percentile(
          lines.map(({ firstAudioMs }) => firstAudioMs),
          0.95,
        ),
      },
      missing: {
        percent: (100 * missingMs) / (missingMs + total((one) => one.heardMs)),
        longest: { p95: percentile(longest, 0.95) },
      },
      gap: { p50: percentile(gaps, 0.5), p99: percentile(gaps, 0.99), max: percentile(gaps, 1) },
    };
  },

  /** Presses a key on every line, one after the other. @returns milliseconds until each was cleared */
  async interrupt(): Promise<number[]> {
    const waits: number[] = [];
    for (const line of lines) waits.push(await line.interrupt());
    return waits;
  },

  async hangUp(): Promise<void> {
    metronome?.stop();
    await Promise.all(lines.map((line) => line.close()));
    await Promise.all(hangUps.map((tell) => tell()));
    [lines, hangUps] = [[], []];
  },

  /** @returns milliseconds from each request for a new call's document to the whole document */
  async webhooks(runnerUrl: string, count: number, atOnce: number): Promise<number[]> {
    const waits: number[] = [];
    const one = async () => {
      while (waits.length < count) {
        const { place, waitedMs } = await carrier.call(runnerUrl);
        waits.push(waitedMs);
        await carrier.hangUp(runnerUrl, place.call); // callers without streams would keep bots from others
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    return waits;
  },

  /** Places calls evenly over `overMs`. No caller hangs up before it is known what became of every call. */
  async rush(runnerUrl: string, calls: number, overMs: number): Promise<RushResult> {
    await botIsReady(runnerUrl);
    const result: RushResult = { firstAudio: [], refused: 0, refusedWithinMs: 0, unserved: 0 };
    const one = async (no: number) => {
      await delay((no * overMs) / calls);
      const call = carrier.newCall();
      hangUps.push(() => carrier.hangUp(runnerUrl, call));
      const calledAt = performance.now();
      const { place, waitedMs } = await carrier.askForDocument(runnerUrl, call);
      if (!place) {
        result.refused += 1;
        result.refusedWithinMs = Math.max(result.refusedWithinMs, waitedMs);
        return;
      }
      try {
        const line = await openLine(place);
        lines.push(line);
        result.firstAudio.push((await line.firstAudio) - calledAt);
      } catch {
        result.unserved += 1;
      }
    };
    await Promise.all(Array.from({ length: calls }, (_, no) => one(no)));
    await questions.hangUp();
    return result;
  },

  /** @returns milliseconds from each call's request for its stream, before the upgrade, to the bot's first audio */
  async firstAudio(runnerUrl: string, calls: number): Promise<number[]> {
    const waits: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      await botIsReady(runnerUrl);
      const { place } = await carrier.call(runnerUrl);
      const connectedAt = performance.now();
      const line = await openLine(place);
      waits.push((await line.firstAudio) - connectedAt);
      await line.close();
      await carrier.hangUp(runnerUrl, place.call);
    }
    return waits;
  },
};
export type Load = typeof questions;

answer(questions);

async function openLine(place: StreamPlace): Promise<Line> {
  const line = new Line(place);
  await line.opened;
  return line;
}
