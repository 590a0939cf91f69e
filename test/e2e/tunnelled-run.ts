import { fileURLToPath } from 'node:url';
import { decodeMulaw, encodeMulaw } from '../../src/base/audio/mulaw.js';
import type { FakeCaller } from '../sandbox/fake-caller.js';
import { Accounts } from './accounts.js';
import { type CliEvent, Voicebot } from './voicebot.js';

const ECHO = fileURLToPath(new URL('../../templates/echo/bot.ts', import.meta.url));
const FRAME_SAMPLES = 160;

/** A run of the echo bot that the carrier reaches over localtunnel's own server. */
export class TunnelledRun implements AsyncDisposable {
  static async open(): Promise<TunnelledRun> {
    const accounts = await Accounts.open();
    const run = new Voicebot(
      ['run', ECHO, '--transport', 'carrier', '--dialin', '--port', '0', '--calls-per-process', '20'],
      { home: accounts.home, environment: accounts.environment() },
    );
    const { publicUrl } = await run.event('ready', {}, 30_000);
    return new TunnelledRun(accounts, run, publicUrl);
  }

  private constructor(
    readonly accounts: Accounts,
    readonly run: Voicebot,
    /** As it was when the run was ready. */
    readonly publicUrl: string,
  ) {}

  /** A caller who says noise from the beginning on. */
  async noisyCaller(): Promise<FakeCaller> {
    const caller = await this.accounts.call();
    caller.says = (frame) => encodeMulaw(noise(frame));
    return caller;
  }

  /** What was told of calls that came to this state. */
  calls(state: string): CliEvent[] {
    return this.run.events.all.filter(({ event, call }) => event === 'call' && call.state === state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run[Symbol.asyncDispose]();
    await this.accounts[Symbol.asyncDispose]();
  }
}

/** Noise whose loudness changes every 20 ms, so that it fits nothing but itself; frame `n` is always the same. */
export function noise(frame: number): Int16Array {
  let seed = (frame + 1) * 2_654_435_761;
  return Int16Array.from({ length: FRAME_SAMPLES }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return ((seed >>> 16) - 32_768) * ((frame % 7) + 1) * 0.05;
  });
}

/** Whether so many frames of sound have come back to a caller. */
export const hearsItself = ({ heard }: FakeCaller, frames: number): boolean =>
  heard.all.filter((frame) => decodeMulaw(frame).some((sample) => Math.abs(sample) > 300)).length >= frames;
