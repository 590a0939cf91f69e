import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { RunningRunner } from '../../src/runners/running-runners.js';
import { PhoneClient } from '../../src/sandbox/network/phone-client.js';
import { childrenOf } from './processes.js';
import { Voicebot } from './voicebot.js';

const CALLS = 1_500;
const AT_ONCE = 16;
const EVERY = 300;
/** The runner keeps up to 64 pieces of 1 MiB for journals, and touches the more of them the busier the machine is. */
const MAX_GROWTH_MIB = { runner: 64, bot: 40 };
const LIMIT_MS = 800_000;

/** Every second each process gives back what it can: what is measured is what it keeps, however busy the machine is. */
const COLLECTING = 'data:text/javascript,setInterval(() => gc(), 1000).unref()';
const NODE_OPTIONS = `--expose-gc --import="${COLLECTING}"`;

jest.setTimeout(LIMIT_MS);

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-memory-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Resident memory, in MiB; 0 of a process that has ended. */
function residentMib(pid: number): number {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

/** What the processes keep at rest: the least of what each holds while it collects a few times, with no call in it. */
async function keptMib(...sides: [() => number, () => number]): Promise<[number, number]> {
  const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let reading = 0; reading < 8; reading += 1) {
    await setTimeout(500);
    for (const at of [0, 1] as const) least[at] = Math.min(least[at], sides[at]());
  }
  return least;
}

/** Calls the bot, and waits until it has hung up. */
async function call({ url, phoneToken: token, number }: NonNullable<RunningRunner['sandbox']>): Promise<void> {
  const silence = new Uint8Array(160).fill(0xff);
  const phone = await PhoneClient.connect({ url, token, exchange: () => silence });
  const ended = new Promise((resolve) => phone.on('ended', resolve));
  phone.dial({ from: '+12025550142', to: number });
  await ended;
  await phone.close();
}

test(`${CALLS} short recorded calls: memory of runner and bot stays as it was after the first ${EVERY}`, async () => {
  const more = ['--record', '--calls-per-process', '50', '--warm', '1'];
  await using runner = await Voicebot.serve('test/e2e/bots/brief.mjs', { home, environment: { NODE_OPTIONS } }, more);
  const entries = join(home, 'runners');
  const [entry] = readdirSync(entries).filter((name) => name.endsWith('.json'));
  const { sandbox } = JSON.parse(readFileSync(join(entries, entry ?? ''), 'utf8')) as RunningRunner;
  if (!sandbox) throw new Error('the runner has no sandbox');
  /** The largest of the bots' processes. */
  const botMib = () => Math.max(...childrenOf(runner.pid, /bot-main/).map(residentMib));
  const figures: { calls: number; runner: number; bot: number }[] = [];
  for (let done = EVERY; done <= CALLS; done += EVERY) {
    let begun = 0;
    const line = async () => {
      while (begun < EVERY) {
        begun += 1;
        await call(sandbox);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, line));
    const [runnerMib, bot] = await keptMib(() => residentMib(runner.pid), botMib);
    figures.push({ calls: done, runner: runnerMib, bot });
  }
  const told = figures.map((at) => `${at.calls}: ${at.runner}/${at.bot}`).join(', ');
  process.stderr.write(`  MiB of runner/bot after calls: ${told}\n`);
  expect(runner.lines.all.filter((said) => said.includes('VOICEBOT_BOT_MEMORY_MIB'))).toEqual([]); // none was replaced
  expect(readdirSync(join(home, 'calls')).length).toBeGreaterThanOrEqual(CALLS);
  const [first, ...rest] = figures;
  for (const side of ['runner', 'bot'] as const) {
    expect(Math.max(...rest.map((at) => at[side]))).toBeLessThanOrEqual((first?.[side] ?? 0) + MAX_GROWTH_MIB[side]);
  }
});
