import { BenchProcess } from '../bench-process.js';
import type { CallScript } from './call-script.js';
import type { ScriptedCallers } from './callers.js';
import { detailsOf } from './details.js';
import type { BesideBots } from './our-bots.js';
import { type CallScore, scoreOf } from './score.js';

/** What one system did in all calls. */
export interface Measured {
  readonly turns: CallScore['turns'];
  readonly sounds: CallScore['sounds'];
  /** Of the calls with noise. */
  readonly greetings: Array<CallScore['greeting']>;
  /** Processor time of the bots' process per second of call, in milliseconds, in the calls of plain sentences. */
  readonly processorMs: number;
  readonly brokenCalls: number;
}

/** In this order. */
export interface CallGroups {
  /** Until the code is compiled to the end. */
  readonly warmUp: readonly CallScript[];
  /** Of which the processor time is taken. */
  readonly plain: readonly CallScript[];
  readonly others: readonly CallScript[];
}

export interface MeasureOptions {
  /** The file of the bots' process, in `bench` without its extension. */
  readonly bots: 'beside/our-bots' | 'beside/livekit-bots';
  /** For it, after the address of the ears. */
  readonly args: readonly string[];
  readonly groups: CallGroups;
  /** Calls at the same time. */
  readonly atOnce: number;
  /** Tells each turn on standard error. */
  readonly isDetailed: boolean;
}

/** Puts one system through all calls. */
export async function measure({ bots, args, groups, atOnce, isDetailed }: MeasureOptions): Promise<Measured> {
  await using callers = new BenchProcess<ScriptedCallers>('beside/callers');
  await using process = new BenchProcess<BesideBots>(bots, await callers.ask('earsUrl'), ...args);
  const url = await process.ask('url');
  const measured: Measured = { turns: [], sounds: [], greetings: [], processorMs: Number.NaN, brokenCalls: 0 };
  let { processorMs, brokenCalls } = measured;
  for (const scripts of [groups.warmUp, groups.plain, groups.others]) {
    const before = await process.ask('usage');
    const records = await callers.ask('run', url, scripts, atOnce);
    const after = await process.ask('usage');
    const requests = await process.ask('requests');
    const seconds = records.reduce((sum, { answeredAt, endedAt }) => sum + (endedAt - answeredAt) / 1_000, 0);
    if (scripts === groups.plain) processorMs = (after.cpuMs - before.cpuMs) / seconds;
    records.forEach((record, index) => {
      const script = scripts[index] as CallScript;
      if (record.isBroken) brokenCalls += 1;
      const asked = requests.filter(({ callId }) => callId === record.callId);
      const score = scoreOf(record, script, asked);
      if (isDetailed) for (const line of detailsOf(record, script, asked)) console.error(line);
      measured.turns.push(...score.turns);
      measured.sounds.push(...score.sounds);
      if (script.noise !== undefined) measured.greetings.push(score.greeting);
    });
  }
  return { ...measured, processorMs, brokenCalls };
}
