import type { StepOptions } from '../scenario/scenario-options.js';
import type { RandomCall } from './random-caller.js';

/**
 * Shorter calls than this one, those that leave out most first: without the bad line, without half of the steps, without each of them, without
 * saying when, with fewer keys, with shorter waits.
 */
export function shorterCalls(call: RandomCall): RandomCall[] {
  const { network, ...rest } = call;
  const { caller } = call;
  const half = Math.ceil(caller.length / 2);
  const halves = caller.length > 2 ? [caller.slice(0, half), caller.slice(half)] : [];
  const without = caller.length > 1 ? caller.map((_, at) => caller.toSpliced(at, 1)) : [];
  const simpler = caller.flatMap((step, at) => simplerSteps(step).map((one) => caller.with(at, one)));
  return [
    ...(network ? [rest] : []),
    ...[...halves, ...without.toReversed(), ...simpler].map((steps) => ({ ...call, caller: steps })),
  ];
}

function simplerSteps(step: StepOptions): StepOptions[] {
  if ('press' in step) {
    const { press, talkOver: _, ...other } = step;
    return [
      ...('talkOver' in step ? [{ press, ...other }] : []),
      ...(press.length > 1 ? [{ ...step, press: press.slice(0, -1) }] : []),
    ];
  }
  if ('wait' in step) {
    const ms = Number.parseFloat(step.wait);
    return step.wait.endsWith('ms') && ms > 1_000 ? [{ wait: `${Math.round(ms / 2)}ms` }] : [];
  }
  if ('say' in step && 'after' in step) {
    const { after: _, ...other } = step;
    return [other];
  }
  return [];
}

/**
 * Finds a shorter call that fails in the same way, until none of those that are shorter still does, or so many have been tried. A shorter
 * call counts when it fails twice: one that fails now and then shows no mistake.
 * @param fails tells which of several calls fail, which it may make at the same time
 */
export async function shrunk(
  call: RandomCall,
  fails: (calls: readonly RandomCall[]) => Promise<readonly boolean[]>,
  { atOnce, most }: { readonly atOnce: number; readonly most: number },
): Promise<RandomCall> {
  let shortest = call;
  let left = most;
  const failing = async (calls: readonly RandomCall[]) => {
    left -= calls.length;
    const which = await fails(calls);
    return calls.filter((_, at) => which[at]);
  };
  for (let candidates = shorterCalls(shortest); candidates.length > 0 && left > 0; ) {
    const tried = candidates.slice(0, Math.min(atOnce, left));
    let found: RandomCall | undefined;
    for (const one of await failing(tried)) {
      if (left > 0) [found] = await failing([one]);
      if (found) break;
    }
    if (found) shortest = found;
    candidates = found ? shorterCalls(found) : candidates.slice(tried.length);
  }
  return shortest;
}
