/** An attacker: media streams that may not come in, and requests that never get to their end. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { plivoAccount } from '../processes/account.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';

const { upgradeSignatureHeaders } =
  await dist<typeof import('../../src/providers/plivo/signature.js')>('providers/plivo/signature.js');

export interface Attack {
  upgrades: number;
  slowSockets: number;
  /** Over how long they arrive, in milliseconds. */
  overMs: number;
  /** A live call whose stream the attacker wants. */
  callId: string;
}

export interface AttackResult {
  /** How many upgrade requests got which status; `closed` without one, `open` when they still stand. */
  upgrades: Record<string, number>;
  /** Connections with half a header that the server has left open. */
  slowSocketsOpen: number;
  tookMs: number;
}

const TICK_MS = 5;
/** How much faster than on average it makes up for time it was not given itself. */
const MAX_BURST = 2;
/** Longest wait for the server to close what it has refused, in milliseconds. */
const CLOSE_LIMIT_MS = 15_000;
const HALF_A_REQUEST = 'POST /answer HTTP/1.1\r\nHost: voicebot.example\r\nContent-Type: application/x-www-';

const questions = {
  async flood(runnerUrl: string, { upgrades, slowSockets, overMs, callId }: Attack): Promise<AttackResult> {
    const startedAt = performance.now();
    const requests = upgradeRequests(runnerUrl, callId);
    const [attempts, slow] = await Promise.all([
      arrive(upgrades, overMs, (index) => new Attempt(runnerUrl, requests[index % requests.length] as string)),
      arrive(slowSockets, overMs, () => new Attempt(runnerUrl, HALF_A_REQUEST)),
    ]);
    await Promise.race([Promise.all(attempts.map(({ closed }) => closed)), delay(CLOSE_LIMIT_MS)]);
    const results: Record<string, number> = {};
    for (const { result } of attempts) results[result] = (results[result] ?? 0) + 1;
    const slowSocketsOpen = slow.filter(({ result }) => result === 'open').length;
    const tookMs = performance.now() - startedAt;
    for (const attempt of [...attempts, ...slow]) attempt.giveUp();
    return { upgrades: results, slowSocketsOpen, tookMs };
  },
};
export type Attacker = typeof questions;

answer(questions);

/** Makes attempts, evenly spread over the time. */
async function arrive(count: number, overMs: number, attempt: (index: number) => Attempt): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  const perMs = count / overMs;
  for (const startedAt = performance.now(); attempts.length < count; await delay(TICK_MS)) {
    const due = Math.min(count, (performance.now() - startedAt) * perMs);
    const atMost = Math.ceil(attempts.length + MAX_BURST * TICK_MS * perMs);
    while (attempts.length < Math.min(due, atMost)) attempts.push(attempt(attempts.length));
  }
  return attempts;
}

/** One connection, which says one thing and then waits for as long as it is let. */
class Attempt {
  readonly closed: Promise<unknown>;
  readonly #socket: Socket;
  #received = '';

  constructor(runnerUrl: string, sent: string) {
    const { hostname, port } = new URL(runnerUrl);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on('error', () => {}); // shows as the close
    this.#socket.setEncoding('latin1').on('data', (data) => {
      this.#received += data;
    });
    this.closed = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.write(sent);
  }

  get result(): string {
    if (!this.#socket.closed) return 'open';
    return /^HTTP\/1\.1 (\d+)/.exec(this.#received)?.[1] ?? 'closed';
  }

  giveUp(): void {
    this.#socket.destroy();
  }
}

/** Not signed, signed with another key, signed but with a pass that the runner did not give out, and somewhere else. */
function upgradeRequests(runnerUrl: string, callId: string): string[] {
  const { host } = new URL(runnerUrl);
  const stream = `/ws?call_id=${callId}&token=${'A'.repeat(32)}`;
  const signed = (path: string, authToken: string) => upgradeSignatureHeaders(`ws://${host}${path}`, authToken);
  return [
    upgradeRequest(host, stream, {}),
    upgradeRequest(host, stream, signed(stream, 'not the token')),
    upgradeRequest(host, stream, signed(stream, plivoAccount.authToken)),
    upgradeRequest(host, '/socket', signed('/socket', plivoAccount.authToken)),
  ];
}

function upgradeRequest(host: string, path: string, signature: Record<string, string>): string {
  const headers = {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...signature,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
