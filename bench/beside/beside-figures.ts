import { atMost, type Figure } from '../figure.js';
import { percentile } from '../statistics.js';
import type { Measured } from './measure.js';
import type { SoundScore, TurnScore } from './score.js';

/** What one column says of one row, and the value that a target is held against. */
interface Told {
  readonly text: string;
  readonly value?: number;
}

const round = (value: number) => (Number.isNaN(value) ? '–' : `${Math.round(value)}`);
const spread = (values: readonly number[], ...shares: number[]) =>
  shares.map((share) => round(percentile(values, share))).join(' / ');

/** The table of both systems; a column is empty where only the other was measured. */
export function* besideFigures(ours: Measured | undefined, theirs: Measured | undefined): Generator<Figure> {
  const figure = (
    name: string,
    tell: (measured: Measured) => Told | undefined,
    limit?: number,
    unit = '',
  ): Figure[] => {
    const told = ours && tell(ours);
    const bare = theirs && tell(theirs)?.text;
    if (!told && bare === undefined) return [];
    const target = limit !== undefined && told?.value !== undefined && atMost(limit, told.value, unit);
    return [{ name, ours: told?.text ?? '', ...(bare !== undefined && { bare }), ...target }];
  };
  for (const [ears, label, p50, p95] of [
    ['', 'ears that punctuate', 900, 1_250],
    [' unpunctuated', 'without punctuation', 1_000, 1_400],
    [' late', 'late by 800 ms', undefined, undefined],
  ] as const) {
    const row = `plain${ears}`;
    const name = `last sound to first, ${label}`;
    yield* figure(`${name}, p50 / p95 ms`, waits(row, 0.5), p50);
    yield* figure(`${name}, p95 ms`, waits(row, 0.95), p95);
    if (p50 !== undefined) yield* sooner(row, ours, theirs);
    yield* figure(`  unanswered, talked over`, lost(row), ears === ' late' ? undefined : 0);
  }
  for (const [rows, label, limit] of PAUSES) {
    yield* figure(`pauses ${label}: talked over`, talkedOver(rows), limit);
  }
  yield* figure('talked over: silent after, p50 / max ms', silentAfter, 450);
  yield* figure('talked over: half answer in the context', halfKept, 0);
  yield* figure('talked over: whole not answered', notWhole, 0);
  yield* figure('  turns with pauses, not talked over, not wholly answered', notWholeOthers, 0);
  yield* figure('onset of the caller to a silent bot, p50 / p95 ms', onset(0.5), 450);
  yield* figure('  the same, p95 ms', onset(0.95), 500);
  yield* figure('  interruptions unanswered', lost('interruption'), 0);
  yield* figure('sounds without words that stop the bot', stopped(isSound), 2);
  for (const kind of ['hm', 'uh-oh', 'laugh', 'cough', 'grunt']) {
    yield* figure(
      `  of them ${kind}`,
      stopped(({ row }) => row === `sound ${kind}`),
    );
  }
  yield* figure('  hold it for a moment, then it goes on', held(isSound));
  yield* figure('understood "uh-huh" that stops the bot', stopped(isBackchannel), 0);
  yield* figure('  is answered', answered(isBackchannel), 0);
  yield* figure('  hold it for a moment, then it goes on', held(isBackchannel));
  yield* figure('silence after a stop that was none, p50 / p95 ms', silence, 700);
  yield* figure('steady noise at the answer stops the greeting', greetingStopped, 0);
  yield* figure('  words of it lost', greetingLost, 0);
  yield* figure('processor time per second of call', processor, 27, ' ms');
  yield* figure('calls that broke', ({ brokenCalls }) => ({ text: `${brokenCalls}`, value: brokenCalls }), 0);
}

/** By how much our p50 is below theirs of the same run. */
function sooner(row: string, ours: Measured | undefined, theirs: Measured | undefined): Figure[] {
  const [our, their] = [ours, theirs].map((measured) => measured && waits(row, 0.5)(measured)?.value);
  if (our === undefined || their === undefined) return [];
  return [
    {
      name: '  sooner than LiveKit, p50',
      ours: `${round(their - our)} ms`,
      target: '>= 250 ms',
      isHeld: their - our >= 250,
    },
  ];
}

const PAUSES: ReadonlyArray<readonly [rows: readonly string[], label: string, limit?: number]> = [
  [['pause 300', 'pause 500', 'pause 700'], '300, 500, 700 ms', 0],
  [['pause 300'], '  300 ms'],
  [['pause 500'], '  500 ms'],
  [['pause 700'], '  700 ms'],
  [
    ['pause 300 unpunctuated', 'pause 500 unpunctuated', 'pause 700 unpunctuated'],
    '300, 500, 700 ms, ears without punctuation',
  ],
  [['pause 300 late', 'pause 500 late', 'pause 700 late'], '300, 500, 700 ms, late ears'],
  [['goes on 900', 'goes on 1100'], '900, 1,100 ms after words that go on', 0],
  [['finished first'], '900, 1,100 ms, seems finished, first of a call', 3],
  [['finished second'], '  second of a call'],
  [['finished third'], '  third of a call', 0],
  [['finished 1300', 'finished 1500'], '1,300, 1,500 ms, seems finished'],
];

const of = (measured: Measured, ...rows: readonly string[]) => measured.turns.filter(({ row }) => rows.includes(row));
const count = (part: number, whole: number): Told | undefined =>
  whole === 0 ? undefined : { text: `${part} of ${whole}`, value: part };
const countOf = <T>(items: readonly T[], is: (item: T) => boolean) => count(items.filter(is).length, items.length);

function waits(row: string, share: number) {
  return (measured: Measured): Told | undefined => {
    const turns = of(measured, row);
    const values = turns.flatMap(({ waitMs }) => waitMs ?? []);
    if (turns.length === 0) return undefined;
    const value = percentile(values, share);
    return { text: share === 0.5 ? `${spread(values, 0.5, 0.95)} (n ${turns.length})` : round(value), value };
  };
}

function lost(row: string) {
  return (measured: Measured): Told | undefined => {
    const turns = of(measured, row);
    if (turns.length === 0) return undefined;
    const unanswered = turns.filter(({ isAnswered }) => !isAnswered).length;
    const over = turns.filter(({ isTalkedOver }) => isTalkedOver).length;
    const text =
      row === 'interruption' ? `${unanswered} of ${turns.length}` : `${unanswered}, ${over} of ${turns.length}`;
    return { text, value: unanswered + over };
  };
}

const talkedOver = (rows: readonly string[]) => (measured: Measured) =>
  countOf(of(measured, ...rows), ({ isTalkedOver }) => isTalkedOver);

const hasPause = ({ row }: TurnScore) => /^(pause|goes on|finished)/.test(row);
const over = ({ turns }: Measured) => turns.filter((turn) => hasPause(turn) && turn.isTalkedOver);

function silentAfter(measured: Measured): Told | undefined {
  const values = over(measured).flatMap(({ silentAfterMs }) => silentAfterMs ?? []);
  if (values.length === 0) return undefined;
  return { text: `${spread(values, 0.5, 1)} (n ${values.length})`, value: Math.max(...values) };
}

const halfKept = (measured: Measured) => countOf(over(measured), ({ isHalfKept }) => isHalfKept === true);
const notWhole = (measured: Measured) => countOf(over(measured), ({ isWholeAnswered }) => !isWholeAnswered);
const notWholeOthers = ({ turns }: Measured) =>
  countOf(
    turns.filter((turn) => hasPause(turn) && !turn.isTalkedOver),
    ({ isWholeAnswered }) => !isWholeAnswered,
  );

function onset(share: number) {
  return (measured: Measured): Told | undefined => {
    const values = of(measured, 'interruption').flatMap(({ silentAfterMs }) => silentAfterMs ?? []);
    if (values.length === 0) return undefined;
    const value = percentile(values, share);
    return { text: share === 0.5 ? `${spread(values, 0.5, 0.95)} (n ${values.length})` : round(value), value };
  };
}

const isSound = ({ row }: SoundScore) => row.startsWith('sound');
const isBackchannel = ({ row }: SoundScore) => row === 'uh-huh';

const stopped = (is: (sound: SoundScore) => boolean) => (measured: Measured) =>
  countOf(measured.sounds.filter(is), ({ isStopped }) => isStopped);
const answered = (is: (sound: SoundScore) => boolean) => (measured: Measured) =>
  countOf(measured.sounds.filter(is), ({ isAnswered }) => isAnswered);
const held = (is: (sound: SoundScore) => boolean) => (measured: Measured) =>
  countOf(measured.sounds.filter(is), ({ isStopped, holeMs }) => !isStopped && holeMs !== undefined);

function silence({ sounds }: Measured): Told | undefined {
  const values = sounds.flatMap(({ holeMs }) => holeMs ?? []);
  if (values.length === 0) return undefined;
  return { text: `${spread(values, 0.5, 0.95)} (n ${values.length})`, value: percentile(values, 0.95) };
}

const greetingStopped = ({ greetings }: Measured) => countOf(greetings, ({ isStopped }) => isStopped);

function greetingLost({ greetings }: Measured): Told | undefined {
  if (greetings.length === 0) return undefined;
  const value = greetings.reduce((sum, { lostWords }) => sum + lostWords, 0);
  return { text: `${value} of ${20 * greetings.length}`, value };
}

const processor = ({ processorMs }: Measured): Told | undefined =>
  !Number.isFinite(processorMs) ? undefined : { text: `${processorMs.toFixed(1)} ms`, value: processorMs };
