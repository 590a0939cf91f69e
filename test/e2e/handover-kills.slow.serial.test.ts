import { testsAtOnce } from '../tests-at-once.js';
import { HANDOVER_PROVIDERS, type HandoverProvider } from './handover-providers.js';
import {
  KilledHandover,
  type KillResult,
  type PartyResult,
  PHASES,
  type Phase,
  type Victim,
  watchDialling,
} from './killed-handover.js';

const LIMIT_MS = 350_000;
/** The same where all cells are run. */
const ALL_LIMIT_MS = 900_000;
const AT_ONCE = 3;
const OVER_LIMIT_MS = 15_000;

interface Cell {
  readonly provider: HandoverProvider;
  readonly victim: Victim;
  readonly phase: Phase;
  /** Of all cells. */
  readonly n: number;
}

const ALL: readonly Cell[] = (['bot', 'runner'] as const)
  .flatMap((victim) => PHASES.flatMap((phase) => HANDOVER_PROVIDERS.map((provider) => ({ provider, victim, phase }))))
  .map((cell, n) => ({ ...cell, n }));

/** Each phase and victim at two of the four providers, each provider in every second phase. */
const isInHalf = ({ provider, victim, phase }: Cell): boolean => {
  const isOdd = (PHASES.indexOf(phase) + (victim === 'runner' ? 1 : 0)) % 2 === 1;
  return (HANDOVER_PROVIDERS.indexOf(provider) % 2 === 1) === isOdd;
};

const nameOf = ({ provider, victim, phase }: Cell): string => `${provider.name}: ${victim} killed while ${phase}`;

/** `CELLS=all` runs all 64; anything else is a part of the names of those to run. Default: half of them. */
const { CELLS } = process.env;
const isChosen = (cell: Cell): boolean => {
  if (CELLS === undefined) return isInHalf(cell);
  return CELLS === 'all' || new RegExp(CELLS).test(nameOf(cell));
};

beforeAll(watchDialling);

afterAll(() => {
  jest.restoreAllMocks();
});

function rowOf(cell: Cell, { caller, colleague, placed, overAfterMs, records, leaks, processes }: KillResult): string {
  const party = ({ heard, talkS, end }: PartyResult) => `${heard} [${talkS} s; ${end}]`;
  const left = `${placed} dialled, over after ${overAfterMs} ms, ${processes} processes left`;
  return [nameOf(cell), `caller ${party(caller)}`, `colleague ${party(colleague)}`, left, records, leaks].join(' | ');
}

async function killed(cell: Cell): Promise<void> {
  const { provider, victim, phase, n } = cell;
  await using handover = await KilledHandover.open(provider, n);
  try {
    await handover.kill(victim, phase);
    const result = await handover.result(lastOf(cell) === 'colleague');
    process.stderr.write(`  ${rowOf(cell, result)}\n`);
    check(cell, result);
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\n${handover.said}`, { cause });
  }
}

/** But for silence, of which a busy machine makes some. */
const soundsIn = ({ heard }: PartyResult): string[] => [
  ...new Set(
    heard
      .split(', ')
      .map((one) => one.replace(/^\d+ ms /, ''))
      .filter((one) => one !== 'silence'),
  ),
];

/** What the caller hears in the end: see `docs/transfer.md`. */
function lastOf({ provider, victim, phase }: Cell): 'bot' | 'colleague' {
  if (phase === 'talking' || phase === 'announcing') return 'bot';
  const isDialledInVain = victim === 'runner' && (phase === 'dialling' || phase === 'ringing');
  return isDialledInVain && provider.transport === 'carrier' ? 'bot' : 'colleague';
}

/** What holds in every cell. */
function check(cell: Cell, { caller, colleague, placed, leaks, ...left }: KillResult): void {
  const { victim, phase } = cell;
  expect(leaks).toEqual([]);
  expect(placed).toBeLessThanOrEqual(1);
  expect(left.overAfterMs).toBeLessThan(OVER_LIMIT_MS);
  expect(left.processes).toBe(0);
  expect(left.records).not.toContain('open');
  expect(caller.last).toBe(lastOf(cell));
  // who hears the caller is heard by them, and the other way round
  expect(colleague.last === 'caller').toBe(caller.last === 'colleague');
  if (phase === 'bridged' && victim === 'runner') {
    expect(soundsIn(caller)).toEqual(['colleague']);
    expect(soundsIn(colleague)).toEqual(['caller']);
  }
}

testsAtOnce(
  Object.fromEntries(ALL.filter(isChosen).map((cell) => [nameOf(cell), () => killed(cell)])),
  CELLS === undefined ? LIMIT_MS : ALL_LIMIT_MS,
  AT_ONCE,
);
