import { setTimeout as delay } from 'node:timers/promises';
import { ERROR_SUMMARIES, type ErrorCode, VoicebotError } from '../../../base/errors.js';
import type { StepResult } from '../certificate.js';
import type { WireItem } from '../wire/wire-item.js';
import type { WireRecorder } from '../wire/wire-recorder.js';
import { CallOverEarly, type TourParts, TourStage } from './tour-stage.js';
import type { TourStep } from './tour-steps.js';

/** How long the wire is silent when a step is over, in milliseconds, and how long that is waited for. */
const QUIET_MS = 1_500;
const LATEST_MS = 12_000;
const LOOK_MS = 100;

export interface Tour {
  readonly parts: TourParts;
  readonly recorder: Pick<WireRecorder, 'begin'>;
  /** What the recorder has taken since the step began; emptied when it begins. */
  readonly items: WireItem[];
  /** Aborted when the whole tour is. */
  readonly signal: AbortSignal;
  /** A person leaves the step out that is played. */
  readonly leftOut: () => AbortSignal;
  begins(step: TourStep): void;
  /** A person has ended the call of the step too early, and is asked to try once more. */
  onceMore(step: TourStep, why: string): void;
  ended(result: StepResult, items: readonly WireItem[]): void;
}

/** How often a step is played whose call a person ends too early. */
const TRIES = 2;

/** Plays steps one after the other; one that fails is told, and the next one is played. @throws the reason of the tour's signal */
export async function playTour(steps: readonly TourStep[], tour: Tour): Promise<void> {
  for (const step of steps) {
    tour.signal.throwIfAborted();
    tour.begins(step);
    let result = await play(step, tour);
    for (let tries = 1; tries < TRIES && result.isByPeople && tour.parts.phones.areOfPeople; tries += 1) {
      tour.onceMore(step, result.why ?? '');
      result = await play(step, tour);
    }
    const { isByPeople: _, ...kept } = result;
    tour.ended(kept, kept.state === 'left out' ? [] : [...tour.items]);
  }
}

/** What a step has come to; what has gone over the wire is in the items of the tour. */
async function play(step: TourStep, tour: Tour): Promise<StepResult & { readonly isByPeople?: boolean }> {
  tour.items.length = 0;
  tour.parts.desk.clear();
  tour.recorder.begin(step.name);
  const skipped = tour.leftOut();
  const over = new AbortController();
  const signal = AbortSignal.any([tour.signal, skipped, over.signal]);
  const { name } = step;
  const result = await step
    .play(new TourStage(tour.parts, signal))
    .then((): StepResult => ({ name, state: 'done' }))
    .catch((error: Error): StepResult & { readonly isByPeople?: boolean } => {
      tour.signal.throwIfAborted();
      if (skipped.aborted) return { name, state: 'left out', why: 'you left it out' };
      const isByPeople = error instanceof CallOverEarly && error.isByPeople;
      return { name, state: 'failed', why: whyOf(error), ...(isByPeople && { isByPeople }) };
    })
    .finally(() => over.abort());
  tour.parts.desk.endCalls();
  await tour.parts.phones.rest();
  await quiet(tour);
  return result;
}

/** Words of ours that name no number, and of what others have said the code alone: a folder tells nothing of who calls. */
export function whyOf(error: Error): string {
  if (error instanceof CallOverEarly) return error.why;
  const { code, message } = VoicebotError.fieldsOf(error, 'VB_INTERNAL');
  return OUR_WORDS.includes(code) ? message : `${ERROR_SUMMARIES[code]} (${code})`;
}

const OUR_WORDS: readonly ErrorCode[] = ['VB_DEADLINE_EXCEEDED'];

/** What follows a call may come late: the provider's last webhook, our last request. */
async function quiet({ items, signal }: Tour): Promise<void> {
  const lateAt = performance.now() + LATEST_MS;
  let [length, since] = [items.length, performance.now()];
  while (performance.now() < lateAt) {
    await delay(LOOK_MS, undefined, { signal });
    if (items.length !== length) [length, since] = [items.length, performance.now()];
    const webhooks = items.filter(({ channel }) => channel === 'webhook');
    const hasEnded = webhooks.length === 0 || webhooks.some(({ name }) => /hangup|call$/.test(name)); // a room tells of its call once
    if (hasEnded && performance.now() - since >= QUIET_MS) return;
  }
}
