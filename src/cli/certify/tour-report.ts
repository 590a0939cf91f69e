import { cleanText } from '../../base/clean-text.js';
import {
  type Certificate,
  certificateLine,
  extentOf,
  isCertified,
  type StepResult,
  whichMatter,
} from '../../lab/certify/certificate.js';
import type { Difference } from '../../lab/certify/compare/difference.js';
import { mattersText, onceEach, whereOf } from '../../lab/certify/compare/difference-table.js';
import type { TourStep } from '../../lab/certify/tour/tour-steps.js';
import type { Output } from '../../terminal/output.js';
import type { TourEstimate } from './tour-estimate.js';

/** What a person is told before anything is done. */
export interface TourPlan {
  readonly provider: string;
  /** E.164; undefined where the account has one only, which is looked up when the tour begins. */
  readonly number: string | undefined;
  readonly isSandbox: boolean;
  /** Under which the provider reaches the tour; undefined: a tunnel. */
  readonly publicUrl: string | undefined;
  readonly steps: readonly TourStep[];
  /** Steps that are not played, and why. */
  readonly leftOut: readonly StepResult[];
  readonly estimate: TourEstimate;
  readonly folder: string;
}

/** Tells a person and a program how far a tour is. */
export class TourReport {
  constructor(private readonly output: Output) {}

  plan(plan: TourPlan): void {
    const { output } = this;
    const { provider, number, isSandbox, steps, leftOut, estimate, folder } = plan;
    const { calls, minutes, cost } = estimate;
    const names = steps.map(({ name }) => name);
    output.event('tour', { provider, number, sandbox: isSandbox, steps: names, leftOut, calls, minutes, cost, folder });
    const where = isSandbox ? `the sandbox's ${provider}` : `your account at ${provider}`;
    const size = [count(steps.length, 'step'), count(calls, 'call'), `about ${count(minutes, 'minute')}`].join(', ');
    output.line(output.wrapped(`A tour of ${where}: ${size}.`, 0));
    for (const { name, title, shows } of steps)
      output.line(output.fitted(`  ${output.paint.bold(name)}: ${title} (${shows})`, 4));
    for (const why of new Set(leftOut.map((one) => one.why))) {
      const names = leftOut.flatMap((one) => (one.why === why ? one.name : []));
      output.line(output.paint.dim(output.fitted(`  left out: ${names.join(', ')}: ${why}`, 4)));
    }
    if (!isSandbox) output.line(output.wrapped(whatItDoes(plan), 0));
  }

  begins({ name, title }: TourStep, at: number, of: number): void {
    this.output.event('step', { step: name, title, number: at, of });
    this.output.line();
    this.output.line(`${this.output.paint.bold(`${at} of ${of}`)}  ${title}`);
  }

  /** What a person is asked to do. @param asked for programs */
  please(text: string, asked: object): void {
    this.output.event('please', { ...asked, text });
    this.output.line(`${this.output.paint.yellow('→')} ${this.output.wrapped(text, 2)}`);
  }

  ended({ name, state, why }: StepResult, differences: readonly Difference[]): void {
    const { paint } = this.output;
    this.output.event('step_over', { step: name, state, why, differences: differences.length });
    const matter = differences.filter(({ matters }) => matters).length;
    const isBad = state === 'failed' || matter > 0;
    const mark = state === 'left out' ? paint.yellow('–') : isBad ? paint.red('✖') : paint.green('✔');
    const found =
      state !== 'done'
        ? (why ?? '')
        : differences.length === 0
          ? 'as expected'
          : `${differences.length} not as expected${matter === 0 ? '' : `, ${whichMatter(matter)}`}`;
    this.output.line(`${mark} ${this.output.wrapped(`${name}: ${cleanText(found)}`, 2)}`);
  }

  /** A call was over before its step was. */
  onceMore({ name }: TourStep, why: string): void {
    this.output.event('step_again', { step: name, why });
    const { output } = this;
    output.line(`${output.paint.yellow('!')} ${output.wrapped(`${cleanText(why)}. Once more from its beginning:`, 2)}`);
  }

  /** What was played is kept. @param next the command that goes on with it */
  brokeOff(folder: string, next: string): void {
    this.output.event('tour_broke_off', { folder, next });
    this.output.line(this.output.wrapped(`The tour broke off. Steps that were done are kept: go on with ${next}`, 0));
  }

  /** @param hint what to do where it is not certified */
  certified(certificate: Certificate, folder: string, hint: string | undefined): void {
    const { output } = this;
    const { paint } = output;
    output.line();
    for (const one of certificate.differences) output.event('difference', one);
    for (const one of onceEach(certificate.differences)) {
      const mark = one.matters ? paint.red('✖') : paint.yellow('!');
      output.line(`${mark} ${output.wrapped(`${one.step}: ${one.kind}: ${whereOf(one)}`, 2)}`);
      output.line(`  ${output.fitted(`expected ${one.expected}\nseen     ${one.seen}`, 2)}`);
      output.line(
        `  ${output.wrapped(`matters: ${mattersText(one)}${one.restsOn.length > 0 ? ` (${one.restsOn.join(', ')})` : ''}`, 2)}`,
      );
    }
    const isGood = isCertified(certificate);
    const { provider, day, voicebot, steps, isSandbox } = certificate;
    output.event('certified', {
      certified: isGood,
      whole: extentOf(certificate).notPlayed.length === 0,
      provider,
      day,
      voicebot,
      sandbox: isSandbox,
      steps,
      differences: certificate.differences.length,
      folder,
    });
    output.line(`${isGood ? paint.green('✔') : paint.red('✖')} ${output.wrapped(certificateLine(certificate), 2)}`);
    output.line(output.wrapped(`What went over the wire is in ${folder}; nothing in it says who called whom.`, 0));
    if (hint !== undefined) output.line(output.wrapped(hint, 0));
  }
}

/** Before a person is asked whether to begin. */
function whatItDoes({ number, publicUrl, estimate, folder }: TourPlan): string {
  const { callMinutes, chargedMinutes, cost } = estimate;
  const reached = publicUrl === undefined ? 'opens a tunnel' : `is reached at ${publicUrl}`;
  const money = cost === undefined ? '' : `: by your prices ${cost}`;
  return (
    `It takes ${number ?? 'the number of the account'}, sets its webhooks, ${reached}, makes and takes the calls above, and gives the number back. ` +
    `The calls last about ${count(callMinutes, 'minute')} together. Your provider charges for each minute of each call that is begun, ` +
    `about ${count(chargedMinutes, 'minute')}${money}, more where a step is played again, and may charge for their sound; voicebot charges nothing. ` +
    `What goes over the wire is written to ${folder}, without numbers, names, identifiers and sound.`
  );
}

const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;
