/** The carrier named by its argument, Plivo by default: places calls, sends 50 frames of audio a second on each, and measures what comes back. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../statistics.js';
import type { SentWebhook } from './dialects/dialect.js';
import { dialectOf } from './dialects/dialects.js';
import { Line, LineMeasurements } from './line.js';
import { Metronome } from './metronome.js';
import { answer } from './questions.js';

/** Lets go of a connection before the runner does, which takes 5 s: a request would meet its close. */
const agent = new Agent({ keepAlive: true, timeout: 4_000 });
/** Time for what is still on its way at the end of a measurement, in milliseconds. */
const LATE_MS = 500;
/** Between the beginnings of two calls, in milliseconds: callers do not all come at the same instant. */
const BETWEEN_CALLS_MS = 10;
const dialect = await dialectOf(process.argv[2]);

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
export interface LoadResult {
  sentFrames: number;
  echoedFrames: number;
  echoDelay: { p50: number; p99: number };
  /** The same until the caller hears it. */
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
      const callId = dialect.newCallId();
      lines.push(await openLine(`${url}?call_id=${callId}`, callId));
      await delay(BETWEEN_CALLS_MS);
    }
  },

  /** Places calls with a runner, one after the other, and speaks on them. */
  async dial(runnerUrl: string, calls: number): Promise<void> {
    metronome = new Metronome(lines, calls);
    for (let call = 0; call < calls; call += 1) {
      const { callId, streamUrl } = await askForDocument(runnerUrl);
      lines.push(await openLine(streamUrl, callId));
      hangUps.push(() => hangUp(runnerUrl, callId));
      await botIsReady(runnerUrl);
    }
  },

  async measure(windowMs: number): Promise<LoadResult> {
    const measurements = lines.map((line) => {
      line.measurements = new LineMeasurements(windowMs);
      return line.measurements;
    });
    await delay(windowMs + LATE_MS);
    for (const line of lines) line.measurements = undefined;
    const ended = lines.filter((line) => !line.isOpen).length;
    if (ended > 0) throw new Error(`${ended} of ${lines.length} calls have ended`);
    const echoDelays = measurements.flatMap((one) => one.echoDelays);
    const heardDelays = measurements.flatMap((one) => one.heardDelays);
    const gaps = measurements.flatMap((one) => one.gaps);
    const total = (value: (one: LineMeasurements) => number) => measurements.reduce((sum, one) => sum + value(one), 0);
    const missingMs = total((one) => one.missingMs);
    const longest = measurements.map((one) => one.longestMissingMs);
    return {
      sentFrames: measurements.reduce((total, one) => total + one.sentFrames, 0),
      echoedFrames: echoDelays.length,
      heardDelay: { p95: percentile(heardDelays, 0.95) },
      echoDelay: { p50: percentile(echoDelays, 0.5), p99: percentile(echoDelays, 0.99) },
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
        const { callId, waitedMs } = await askForDocument(runnerUrl);
        waits.push(waitedMs);
        await hangUp(runnerUrl, callId); // callers without streams would keep bots from others
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
      const callId = dialect.newCallId();
      hangUps.push(() => hangUp(runnerUrl, callId));
      const calledAt = performance.now();
      const url = `${runnerUrl}/answer`;
      const { body, waitedMs } = await post(url, dialect.callComes(url, callId, 'ringing'));
      const streamUrl = dialect.streamIn(body);
      if (!streamUrl) {
        result.refused += 1;
        result.refusedWithinMs = Math.max(result.refusedWithinMs, waitedMs);
        return;
      }
      try {
        const line = await openLine(streamUrl, callId);
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
      const { callId, streamUrl } = await askForDocument(runnerUrl);
      const connectedAt = performance.now();
      const line = await openLine(streamUrl, callId);
      waits.push((await line.firstAudio) - connectedAt);
      await line.close();
      await hangUp(runnerUrl, callId);
    }
    return waits;
  },
};
export type Load = typeof questions;

answer(questions);

async function openLine(url: string, callId: string): Promise<Line> {
  const line = new Line(url, dialect.upgradeHeaders(url), callId, dialect);
  await line.opened;
  return line;
}

async function askForDocument(runnerUrl: string): Promise<{ callId: string; streamUrl: string; waitedMs: number }> {
  const callId = dialect.newCallId();
  const url = `${runnerUrl}/answer`;
  const { body, waitedMs } = await post(url, dialect.callComes(url, callId, 'in-progress'));
  const streamUrl = dialect.streamIn(body);
  if (!streamUrl) throw new Error(`no stream in ${body}`);
  return { callId, streamUrl, waitedMs };
}

async function hangUp(runnerUrl: string, callId: string): Promise<void> {
  const url = `${runnerUrl}/hangup`;
  await post(url, dialect.callIsOver(url, callId));
}

async function post(url: string, { body, headers }: SentWebhook): Promise<{ body: string; waitedMs: number }> {
  const sentAt = performance.now();
  const [response] = (await once(request(url, { method: 'POST', headers, agent }).end(body), 'response')) as [
    IncomingMessage,
  ];
  return { body: await text(response), waitedMs: performance.now() - sentAt };
}

/** Resolves when a process that has loaded the bot waits for the next call. */
async function botIsReady(runnerUrl: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${runnerUrl}/ready`);
    await response.arrayBuffer();
    if (response.status === 200) return;
    await delay(20);
  }
}
