import { dist } from '../processes/dist.js';
import { percentile } from '../statistics.js';
import bot from './bridger.js';

/** What is told once a second while messages come and go. Times are milliseconds. */
export interface PassingTimes {
  /** From a message's arrival in this process until another one has gone out, in the same turn. */
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly messages: number;
  /** Messages that went out in a turn in which none had come. */
  readonly elsewhere: number;
}

const TELL_EVERY_MS = 1_000;

let arrivedAt = Number.NaN;
let waits: number[] = [];
let elsewhere = 0;
const { CallSocket } = await dist<typeof import('../../src/runner/bots/call-socket.js')>('runner/bots/call-socket.js');
const { emit, send } = CallSocket.prototype;

CallSocket.prototype.emit = function (this: typeof CallSocket.prototype, event: string | symbol, ...args: unknown[]) {
  if (event !== 'message') return emit.call(this, event, ...args);
  arrivedAt = performance.now();
  const isHeard = emit.call(this, event, ...args);
  arrivedAt = Number.NaN;
  return isHeard;
} as typeof emit;

CallSocket.prototype.send = function (this: typeof CallSocket.prototype, ...args: unknown[]) {
  send.apply(this, args as Parameters<typeof send>);
  if (Number.isNaN(arrivedAt)) elsewhere += 1;
  else waits.push(performance.now() - arrivedAt);
} as typeof send;

setInterval(() => {
  if (waits.length === 0) return;
  const [p50, p95, max] = [0.5, 0.95, 1].map((share) => percentile(waits, share));
  console.log(JSON.stringify({ p50, p95, max, messages: waits.length, elsewhere }));
  waits = [];
  elsewhere = 0;
}, TELL_EVERY_MS).unref();

/** {@link bot}, and how long what it passes on is in its process. */
export default bot;
