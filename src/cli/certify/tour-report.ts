import { cleanText } from '../../base/clean-text.js';
import { type Certificate, certificateLine, isCertified, type StepResult } from '../../lab/certify/certificate.js';
import type { Difference } from '../../lab/certify/compare/difference.js';
import { mattersText, onceEach, whereOf } from '../../lab/certify/compare/difference-table.js';
import type { TourStep } from '../../lab/certify/tour/tour-steps.js';
import type { Output } from '../../terminal/output.js';

/** What a person is told before anything is done. */
export interface TourPlan {
  readonly provider: string;
  /** E.164; undefined where the account has one only, which is looked up when the tour begins. */
  readonly number: string | undefined;
  readonly isSandbox: boolean;
  readonly steps: readonly TourStep[];
  /** Steps that cannot be played, and why. */
  readonly leftOut: readonly StepResult[];
  readonly folder: string;
}

/** Tells a person and a program how far a tour is. */
export class TourReport {
  constructor(private readonly output: Output) {}

  plan({ provider, number, isSandbox, steps, leftOut, folder }: TourPlan): void {
    const { output } = this;
    const calls = steps.reduce((sum, step) => sum + step.calls, 0);
    const minutes = Math.ceil(steps.reduce((sum, step) => sum + step.seconds, 0) / 60);
    const names = steps.map(({ name }) => name);
    output.event('tour', { provider, number, sandbox: isSandbox, steps: names, leftOut, calls, minutes, folder });
    const where = isSandbox ? `the sandbox's ${provider}` : `your account at ${provider}`;
    output.line(
      output.wrapped(`A tour of ${where}: ${steps.length} steps, ${calls} calls, about ${minutes + 1} minutes.`, 0),
    );
    for (const { name, title, shows } of steps)
      output.line(output.fitted(`  ${output.paint.bold(name)}: ${title} (${shows})`, 4));
    for (const { name, why } of leftOut) output.line(output.paint.dim(output.fitted(`  left out: ${name}: ${why}`, 4)));
    if (isSandbox) return;
    output.line(
      output.wrapped(
        `It takes ${number ?? 'the number of the account'}, sets its webhooks, opens a tunnel, makes and takes the calls above, and gives the number back. ` +
          `Your provider charges for about ${minutes + calls} minutes of calls and nothing else; voicebot charges nothing. ` +
          `What goes over the wire is written to ${folder}, without numbers, names, identifiers and sound.`,
        0,
      ),
    );
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
    const mark = state === 'done' ? paint.green('✔') : state === 'failed' ? paint.red('✖') : paint.yellow('–');
    const found =
      state !== 'done'
        ? (why ?? '')
        : differences.length === 0
          ? 'as expected'
          : `${differences.length} not as expected`;
    this.output.line(`${mark} ${name}: ${this.output.wrapped(cleanText(found), 2)}`);
  }

  /** What was played is kept. */
  brokeOff(folder: string): void {
    const next = `npx voicebot certify --resume ${folder}`;
    this.output.event('tour_broke_off', { folder, next });
    this.output.line(this.output.wrapped(`The tour broke off. Steps that were done are kept: go on with ${next}`, 0));
  }

  certified(certificate: Certificate, folder: string): void {
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
      provider,
      day,
      voicebot,
      sandbox: isSandbox,
      steps,
      differences: certificate.differences.length,
      folder,
    });
    output.line(`${isGood ? paint.green('✔') : paint.red('✖')} ${output.wrapped(certificateLine(certificate), 2)}`);
    output.line(
      output.wrapped(
        `What went over the wire is in ${folder}; nothing in it says who called whom. differences.md there is the table.`,
        0,
      ),
    );
  }
}
