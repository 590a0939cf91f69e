import { VoicebotError } from '../../base/errors.js';
import { shellWord } from '../../base/process/shell-word.js';
import { isPlayed, type StepResult } from '../../lab/certify/certificate.js';
import { TOUR_STEPS, type TourStep } from '../../lab/certify/tour/tour-steps.js';
import type { TourNumbers } from './certify-account.js';
import { certifyCommandLine } from './certify-command.js';
import type { CertifyRequest } from './certify-request.js';
import type { TourPlace } from './tour-folder.js';

/** Which steps a run of a tour plays. */
export interface TourChoice {
  /** In the order of the tour; none where all are done and the number alone is to be taken and given back. */
  readonly played: readonly TourStep[];
  /** Steps that lack a telephone, and those that the user has left out. */
  readonly leftOut: readonly StepResult[];
}

/** @throws VoicebotError VB_USAGE when there is nothing to play */
export function chooseSteps(request: CertifyRequest, numbers: TourNumbers, place: TourPlace): TourChoice {
  const { steps, isChosen } = request;
  const { before } = place;
  const isOpen = ({ name }: TourStep) => isChosen || !before?.isDone(name);
  const wanted = steps.filter(isOpen);
  const lacking = wanted.flatMap((step) => whyNot(step, numbers) ?? []);
  const unwanted = TOUR_STEPS.filter((step) => !steps.includes(step) && !before?.isDone(step.name));
  const played = wanted.filter(({ name }) => !lacking.some((one) => one.name === name));
  const leftOut = [
    ...lacking,
    ...unwanted.map(({ name }): StepResult => ({ name, state: 'left out', why: 'you left it out' })),
  ];
  const isToBeEnded = before && !before.isOver && before.steps.some(isPlayed);
  if (played.length === 0 && !isToBeEnded) throw nothingToPlay(request, lacking, place);
  return { played, leftOut };
}

function nothingToPlay({ typed }: CertifyRequest, lacking: readonly StepResult[], { shown, before }: TourPlace) {
  if (lacking.length > 0) {
    const why = new Set(lacking.flatMap((one) => one.why ?? []));
    return new VoicebotError('VB_USAGE', `no step can be played: ${[...why].join('; ')}`, {
      hint: 'Name the telephones: --my-number <number> --colleague <number>',
    });
  }
  if (!before) return new VoicebotError('VB_USAGE', 'every step is left out: --only and --skip leave none');
  const again = certifyCommandLine(typed, { resume: undefined });
  return new VoicebotError('VB_USAGE', `the tour of ${shown} is over: there is no step left to play`, {
    hint:
      `What it has come to: npx voicebot certify --compare ${shellWord(shown)}. ` +
      `Play a step of it again with --only <step>, or begin another tour: ${again}`,
  });
}

/** What a step lacks. */
function whyNot({ name, needs }: TourStep, { myNumber, colleague, wrongNumber }: TourNumbers): StepResult | undefined {
  const missing = [
    ...(needs.includes('caller') && myNumber === undefined ? ['--my-number, your own telephone'] : []),
    ...(needs.includes('colleague') && colleague === undefined ? ['--colleague, a second telephone'] : []),
    ...(needs.includes('wrong') && wrongNumber === undefined ? ['--wrong-number, a number that is not assigned'] : []),
  ];
  return missing.length === 0 ? undefined : { name, state: 'left out', why: `it needs ${missing.join(', and ')}` };
}
