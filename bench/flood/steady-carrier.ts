/** The carrier, whose requests go on coming in: every 20 ms one webhook on a new connection and one on a kept one. */
import { Agent } from 'node:http';
import { BenchCarrier } from '../processes/carrier.js';
import { answer } from '../processes/questions.js';

const EVERY_MS = 20;
const carrier = new BenchCarrier();
/** One call asks again and again: many without streams would be turned away. */
const call = carrier.newCall();
call.answer();

/** Milliseconds from when each request was due to its whole document; those that got none are counted. */
export interface Waits {
  onNewConnections: number[];
  onKeptConnections: number[];
  failed: number;
}

const keeping = new Agent({ keepAlive: true });
let waits: Waits = { onNewConnections: [], onKeptConnections: [], failed: 0 };
let timer: NodeJS.Timeout | undefined;
let running: Promise<void>[] = [];

const questions = {
  /** A new call asks for its document. */
  async call(runnerUrl: string): Promise<string> {
    await askForDocument(runnerUrl, keeping);
    return call.id;
  },

  start(runnerUrl: string): void {
    waits = { onNewConnections: [], onKeptConnections: [], failed: 0 };
    running = [];
    let dueAt = performance.now();
    timer = setInterval(() => {
      for (; dueAt <= performance.now(); dueAt += EVERY_MS) {
        running.push(measure(runnerUrl, false, dueAt, waits.onNewConnections));
        running.push(measure(runnerUrl, keeping, dueAt, waits.onKeptConnections));
      }
    }, 1);
  },

  async stop(): Promise<Waits> {
    clearInterval(timer);
    await Promise.all(running);
    return waits;
  },
};
export type SteadyCarrier = typeof questions;

answer(questions);

async function measure(runnerUrl: string, agent: Agent | false, dueAt: number, into: number[]): Promise<void> {
  try {
    await askForDocument(runnerUrl, agent);
    into.push(performance.now() - dueAt);
  } catch {
    waits.failed += 1;
  }
}

async function askForDocument(runnerUrl: string, agent: Agent | false): Promise<void> {
  const { place } = await carrier.askForDocument(runnerUrl, call, agent);
  if (!place) throw new Error('no stream in the document');
}
