import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Accounts } from '../e2e/accounts.js';
import { childrenOf, until } from '../e2e/processes.js';
import type { RunningCommand } from './in-process.js';

interface Check {
  check: string;
  status: 'ok' | 'warning' | 'failure';
  message: string;
  fix?: string;
  code?: string;
}

/** The words of a visit to the doctor with `bot.mjs`, at any free port unless another is named. */
export const doctorArgs = (more: string) =>
  `doctor bot.mjs ${/--port/.test(more) ? '' : '--port 0 '}${more.trim()}`.trim();

/** What the doctor finds, with `--json`. */
export async function findingsOf(visit: RunningCommand['finished']) {
  const { exitCode, events, stderr } = await visit;
  const checks = events.filter(({ event }) => event === 'check') as unknown as Check[];
  const named = (name: string) => checks.find(({ check }) => check === name);
  const failed = checks.filter(({ status }) => status === 'failure').map(({ check }) => check);
  const last = events.findLast(({ event }) => event === 'examined');
  return { exitCode, stderr, checks, named, failed, last };
}

/** What an examination leaves as it was. */
export interface Everything {
  /** At both providers. */
  readonly stored: readonly string[];
  /** Names of rooms. */
  readonly rooms: readonly string[];
  /** In the state directory, which is the working directory too. */
  readonly files: Readonly<Record<string, string>>;
  /** Processes of bots. */
  readonly bots: readonly number[];
}

export async function everything(accounts: Accounts): Promise<Everything> {
  const entries = readdirSync(accounts.home, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
  return { stored: await accounts.stored(), rooms: await accounts.rooms(), files, bots: bots() };
}

export async function expectAsBefore(accounts: Accounts, before: Everything): Promise<void> {
  await until(() => bots().every((pid) => before.bots.includes(pid)), 'the bots of the examination end');
  expect({ ...(await everything(accounts)), bots: before.bots }).toEqual(before);
}

/** Identifiers of the processes of bots that this process has started. */
export const bots = () => childrenOf(process.pid, /bot-main/);
