import type { Difference } from './compare/difference.js';
import { COMPARED_STEPS, STEP_NAMES } from './tour/tour-steps.js';

/** What became of a step. */
export interface StepResult {
  readonly name: string;
  readonly state: 'done' | 'left out' | 'failed';
  /** Why it was left out, or what failed. */
  readonly why?: string;
}

/** What a tour has come to: `certificate.json` of its folder. */
export interface Certificate {
  readonly version: 1;
  /** Of voicebot. */
  readonly voicebot: string;
  readonly provider: string;
  /** The provider was a sandbox: the tour was a rehearsal. */
  readonly isSandbox: boolean;
  /** ISO 8601, UTC: when the last step ended. */
  readonly day: string;
  readonly steps: readonly StepResult[];
  readonly differences: readonly Difference[];
}

/**
 * What tours of an account have come to together: of each step the newest result, and what was different then. One of another version
 * gives way as a whole.
 * @param played names of the steps that are newer in `certificate`; what else is there is of an earlier run
 */
export function mergedWith(before: Certificate, certificate: Certificate, played: readonly string[]): Certificate {
  if (before.voicebot !== certificate.voicebot) return certificate;
  const older = (name: string) => before.steps.find((step) => step.name === name && isPlayed(step));
  const isKept = (name: string) =>
    older(name) && !(played.includes(name) && certificate.steps.some((step) => step.name === name && isPlayed(step)));
  const names = COMPARED_STEPS.filter((name) =>
    [...before.steps, ...certificate.steps].some((step) => step.name === name),
  );
  const steps = names.flatMap((name) => {
    const newer = certificate.steps.find((step) => step.name === name);
    return (isKept(name) ? older(name) : newer) ?? [];
  });
  const differences = [
    ...before.differences.filter(({ step }) => isKept(step)),
    ...certificate.differences.filter(({ step }) => !isKept(step)),
  ];
  return { ...certificate, steps, differences };
}

/** Whether it has come to something. */
export const isPlayed = ({ state }: StepResult) => state !== 'left out';

/** Whether nothing that voicebot rests on is different in the steps that were played, and none has failed. Some may have been left out. */
export const isCertified = ({ steps, differences }: Certificate): boolean =>
  steps.some(({ name, state }) => state === 'done' && STEP_NAMES.includes(name)) &&
  !steps.some(({ state }) => state === 'failed') &&
  !differences.some(({ matters }) => matters);

/** Names of steps that have failed, or in which something that matters was different. */
export const stepsToPlayAgain = ({ steps, differences }: Certificate): readonly string[] =>
  STEP_NAMES.filter(
    (name) =>
      steps.some((step) => step.name === name && step.state === 'failed') ||
      differences.some(({ step, matters }) => step === name && matters),
  );

/** How far a tour went, by the steps that can be left out: `3 of 9 steps`. */
export interface TourExtent {
  readonly done: number;
  readonly all: number;
  /** Names of those that were not played, in the order of the tour. */
  readonly notPlayed: readonly string[];
}

export function extentOf({ steps }: Pick<Certificate, 'steps'>): TourExtent {
  const stateOf = (name: string) => steps.find((step) => step.name === name)?.state ?? 'left out';
  return {
    done: STEP_NAMES.filter((name) => stateOf(name) === 'done').length,
    all: STEP_NAMES.length,
    notPlayed: STEP_NAMES.filter((name) => stateOf(name) === 'left out'),
  };
}

/** The one line. */
export function certificateLine(certificate: Certificate): string {
  const { provider, voicebot, day, differences, isSandbox } = certificate;
  const { done, all, notPlayed } = extentOf(certificate);
  const who = isSandbox ? `the sandbox's ${provider}` : `${provider}, for this account`;
  const what = `${who}, on ${day.slice(0, 10)}, with voicebot ${voicebot}: ${done} of ${all} steps`;
  const found = differencesText(differences);
  const isPart = notPlayed.length > 0;
  const result = isCertified(certificate)
    ? isPart
      ? 'Certified as far as the tour went'
      : 'Certified'
    : 'Not certified';
  return `${result}: ${what}, ${found}${isPart ? `; left out: ${notPlayed.join(', ')}` : ''}.`;
}

/** `2 differences, 1 of which matters`. */
export function differencesText(differences: readonly Pick<Difference, 'matters'>[]): string {
  const mattering = differences.filter(({ matters }) => matters).length;
  const which = differences.length > 0 ? `, ${whichMatter(mattering)}` : '';
  return `${count(differences.length, 'difference')}${which}`;
}

/** `1 of which matters`. */
export const whichMatter = (many: number): string => `${many} of which ${many === 1 ? 'matters' : 'matter'}`;

const count = (many: number, what: string) => (many === 0 ? `no ${what}` : `${many} ${what}${many === 1 ? '' : 's'}`);
