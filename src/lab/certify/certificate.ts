import type { Difference } from './compare/difference.js';

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

/** Whether nothing that voicebot rests on is different, in all steps that were played; and that what cannot be left out was. */
export const isCertified = ({ steps, differences }: Certificate): boolean =>
  steps.some(({ state }) => state === 'done') &&
  !steps.some(({ state }) => state === 'failed') &&
  !differences.some(({ matters }) => matters);

/** The one line. */
export function certificateLine(certificate: Certificate): string {
  const { provider, voicebot, day, steps, differences, isSandbox } = certificate;
  const done = steps.filter(({ state }) => state === 'done').length;
  const mattering = differences.filter(({ matters }) => matters).length;
  const who = isSandbox ? `the sandbox's ${provider}` : `${provider}, for this account`;
  const what = `${who}, on ${day.slice(0, 10)}, with voicebot ${voicebot}: ${done} of ${steps.length} steps`;
  const found = `${count(differences.length, 'difference')}${differences.length > 0 ? `, ${mattering} of which ${mattering === 1 ? 'matters' : 'matter'}` : ''}`;
  return `${isCertified(certificate) ? 'Certified' : 'Not certified'}: ${what}, ${found}.`;
}

const count = (many: number, what: string) => (many === 0 ? `no ${what}` : `${many} ${what}${many === 1 ? '' : 's'}`);
