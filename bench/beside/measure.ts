import { BenchProcess } from '../bench-process.js';
import type { CallScript } from './call-script.js';
import type { ScriptedCallers } from './callers.js';
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

/**
 * Puts one system through all calls. @param bots the file of its process in `bench`; @param args for it, after the address of the ears
 */
export async function measure(
  bots: string,
  args: readonly string[],
  groups: CallGroups,
  atOnce: number,
): Promise<Measured> {
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
      const score = scoreOf(
        record,
        script,
        requests.filter(({ callId }) => callId === record.callId),
      );
      measured.turns.push(...score.turns);
      measured.sounds.push(...score.sounds);
      if (script.noise !== undefined) measured.greetings.push(score.greeting);
    });
  }
  return { ...measured, processorMs, brokenCalls };
}
