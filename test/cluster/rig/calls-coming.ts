import { setTimeout as delay } from 'node:timers/promises';
import { Caller, type CallStory } from './caller.js';
import type { SandboxProcess } from './sandbox-process.js';

export interface CallsOptions {
  readonly calls: number;
  /** They begin evenly over this time, in milliseconds. */
  readonly overMs: number;
  /** How long each caller listens to the bot, in milliseconds. */
  readonly listensMs: number;
  /** How long callers bear silence, in milliseconds. Default 30 000. */
  readonly patienceMs?: number;
  /** While true, they listen on. */
  readonly stays?: () => boolean;
  /** Told each time a caller hears a bot for the first time. */
  readonly onGreeted?: () => void;
}

export const PATIENCE_MS = 30_000;
const FIRST_CALLER = 12_025_551_000;

/** Callers who come and go. @returns what each has lived through, in the order in which they came */
export function callsComing(sandbox: SandboxProcess, options: CallsOptions): Promise<CallStory[]> {
  const { calls, overMs, listensMs, patienceMs = PATIENCE_MS, stays, onGreeted } = options;
  const one = async (no: number) => {
    await delay((no * overMs) / calls);
    const from = `+${FIRST_CALLER + (no % 8_000)}`;
    const line = { sandboxUrl: sandbox.url, phoneToken: sandbox.phoneToken, to: sandbox.number };
    return Caller.call({ ...line, from, listensMs, patienceMs, stays, onGreeted });
  };
  return Promise.all(Array.from({ length: calls }, (_, no) => one(no)));
}
