/** The carrier, whose requests go on coming in: every 20 ms one webhook on a new connection and one on a kept one. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { plivoAccount } from '../processes/account.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';

const { signatureHeaders } =
  await dist<typeof import('../../src/providers/plivo/signature.js')>('providers/plivo/signature.js');

const EVERY_MS = 20;
/** One call asks again and again: many without streams would be turned away. */
const CallUUID = randomUUID();

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
    return await askForDocument(runnerUrl, keeping);
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

/** @returns the new call's identifier */
async function askForDocument(runnerUrl: string, agent: Agent | false): Promise<string> {
  const form = {
    CallUUID,
    From: '12025550142',
    To: '12025550100',
    Direction: 'inbound',
    Event: 'StartApp',
    CallStatus: 'in-progress',
  };
  const url = `${runnerUrl}/answer`;
  const headers = {
    ...signatureHeaders({ method: 'POST', url, form: Object.entries(form) }, plivoAccount.authToken),
    'content-type': 'application/x-www-form-urlencoded',
  };
  const sent = request(url, { method: 'POST', headers, agent }).end(new URLSearchParams(form).toString());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const document = await text(response);
  if (!document.includes('</Stream>')) throw new Error(`no stream in ${response.statusCode} ${document}`);
  return CallUUID;
}
