import { fileURLToPath } from 'node:url';
import { type Closer, closeAll } from '../../assembly/close-all.js';
import { type SandboxProcess, startSandboxProcess } from '../../assembly/sandbox-process.js';
import { checkStateDirectory } from '../../assembly/writable-state.js';
import { stateDirectory } from '../../config/environment.js';
import { isCertified, isPlayed, stepsToPlayAgain } from '../../lab/certify/certificate.js';
import { CertifyFolder } from '../../lab/certify/certify-folder.js';
import { readReference } from '../../lab/certify/reference.js';
import { PersonPhones } from '../../lab/certify/tour/person-phones.js';
import { SCRIPTED_NUMBERS, ScriptedPhones } from '../../lab/certify/tour/scripted-phones.js';
import type { TourPhones } from '../../lab/certify/tour/tour-phone.js';
import { STEP_NAMES, type TourStep } from '../../lab/certify/tour/tour-steps.js';
import { DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { readPrices } from '../../runner/costs/prices.js';
import { ask, type CliContext, saysYes } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { accountToCertify, configOfTour, onSandbox } from './certify-account.js';
import { certifyCommandLine, type OptionChanges } from './certify-command.js';
import type { CertifyRequest } from './certify-request.js';
import { compareTour, throwUnlessCertified } from './compare-tour.js';
import { keepCertificate } from './kept-certificate.js';
import { PlayedTour } from './played-tour.js';
import { chooseSteps } from './tour-choice.js';
import { estimateOf } from './tour-estimate.js';
import { ownerOf, placeOf } from './tour-folder.js';
import { TourReport } from './tour-report.js';

/** In the numbers that the sandbox knows: one that is not assigned. */
const SANDBOX_WRONG_NUMBER = '+12025550110';
const BOT = fileURLToPath(new URL('../../lab/certify/tour/bot.js', import.meta.url));

/** For tests, and for the tours that the sandbox's own wire is known by. */
export interface TourWishes {
  /** Who plays the person. Default: a person. */
  readonly phonesOf?: (person: PersonPhones) => TourPhones;
  /** Every word of the provider is written down as it is: no person has said one. Default false. */
  readonly keepsWords?: boolean;
  /** No step is played: the number is taken and given back. Default false. */
  readonly isNumberOnly?: boolean;
}

/**
 * Takes an account through all that calls can do, and compares what its provider says with what the sandbox would have said.
 * @throws StoppedBySignal after it has given everything back; ReportedError when the provider is not certified; VoicebotError
 */
export async function runCertify(
  request: CertifyRequest,
  context: CliContext,
  output: Output,
  wishes: TourWishes = {},
): Promise<void> {
  const opened: Closer[] = [];
  try {
    await certifyWith(opened, request, context, output, wishes);
  } finally {
    await closeAll(opened);
  }
}

/** @param opened gets the way back of each thing as soon as it is open */
async function certifyWith(
  opened: Closer[],
  request: CertifyRequest,
  context: CliContext,
  output: Output,
  wishes: TourWishes,
): Promise<void> {
  const { isSandbox, config: given, isVerbose, isTaking, typed } = request;
  const report = new TourReport(output);
  const home = stateDirectory(context.environment);
  checkStateDirectory(home);
  const owner = ownerOf(request, home);
  const { provider } = owner;
  const reference = readReference(provider);
  const place = placeOf(request, owner, context.directory);
  const numbers = isSandbox
    ? { myNumber: SCRIPTED_NUMBERS.caller, colleague: SCRIPTED_NUMBERS.colleague, wrongNumber: SANDBOX_WRONG_NUMBER }
    : request;
  const { keepsWords = false, isNumberOnly = false } = wishes;
  const choice = isNumberOnly ? { played: [], leftOut: [] } : chooseSteps(request, numbers, place);
  const tour = await PlayedTour.open(given);
  opened.push(() => tour[Symbol.asyncDispose]());
  const sandbox = isSandbox ? await output.step('Starting the sandbox', () => sandboxOf(request, context)) : undefined;
  if (sandbox) opened.push(() => sandbox.stop());
  const base = sandbox ? onSandbox(given, sandbox, tour.front.url) : given;
  const account = accountToCertify(base);
  const person = new PersonPhones({ caller: numbers.myNumber, colleague: numbers.colleague }, (text, asked) =>
    report.please(text, asked),
  );
  const phones = sandbox ? new ScriptedPhones(sandbox) : (wishes.phonesOf?.(person) ?? person);
  opened.push(() => phones.close());

  const { played, leftOut } = choice;
  const number = account.phoneNumber;
  const prices = given.pricesFile === undefined ? undefined : readPrices(given.pricesFile);
  const estimate = estimateOf({ steps: played, isSandbox, provider, kind: account.kind, number, numbers, prices });
  const { publicUrl } = given;
  report.plan({ provider, number, isSandbox, publicUrl, steps: played, leftOut, estimate, folder: place.shown });
  if (!isSandbox && !request.isYes) await agree(context, output);

  const folder = place.before ?? CertifyFolder.create(place.path, owner);
  folder.begin();
  const earlier = new Set(folder.steps);
  const endedNow = () => folder.steps.flatMap((step) => (earlier.has(step) ? [] : step.name));
  for (const one of leftOut) folder.add(one, []);
  const config = await configOfTour(base, BOT, numbers);
  const parts = { config, account, provider, reference, numbers, phones, keepsWords, folder, report };
  const playing = tour.play({ ...parts, steps: played, isTaking, isVerbose, isSandbox }, context, output);
  const resumed = (changes: OptionChanges) =>
    certifyCommandLine(typed, { output: undefined, resume: place.shown, ...changes });
  const conclude = () => {
    const certificate = compareTour(folder, reference, isSandbox);
    folder.certify(certificate);
    const only = stepsToPlayAgain(certificate);
    const again =
      only.length > 0 ? ` Play what was not as it should be again: ${resumed({ only, skip: undefined })}` : '';
    const hint = `The table is differences.md in ${place.shown}.${again}`;
    report.certified(certificate, place.shown, isCertified(certificate) ? undefined : hint);
    if (!isSandbox) keepCertificate(home, account, certificate, endedNow());
    return { certificate, hint };
  };
  await playing.catch((error: unknown) => {
    // A number that cannot be taken is a difference, too; what the provider has said is told.
    if (folder.isOver) conclude();
    else if (folder.steps.some(isPlayed))
      report.brokeOff(place.shown, resumed(whatIsLeft(request, played, endedNow())));
    throw error;
  });
  const { certificate, hint } = conclude();
  if (!isNumberOnly) throwUnlessCertified(certificate, hint);
}

/** The options with which a tour that broke off plays the rest of what it was to play. */
function whatIsLeft(
  { isChosen, typed: { skip } }: CertifyRequest,
  played: readonly TourStep[],
  ended: readonly string[],
): OptionChanges {
  if (!isChosen) return { skip };
  const open = (names: readonly string[]) => names.filter((name) => !ended.includes(name));
  const only = open(played.map(({ name }) => name));
  return only.length > 0 ? { only, skip: undefined } : { only: undefined, skip: open(STEP_NAMES) };
}

function sandboxOf({ config, isVerbose }: CertifyRequest, { environment }: CliContext): Promise<SandboxProcess> {
  return startSandboxProcess(environment, {
    carrier: config.carriers.carrier ?? DEFAULT_CARRIER,
    isVerbose,
    expectsRooms: config.transport === 'rooms',
    roomsProvider: config.roomsProvider,
  });
}

const NOT_BEGUN = 'Begin without a question with --yes, or rehearse first: npx voicebot certify --sandbox';

async function agree(context: CliContext, output: Output): Promise<void> {
  const answer = output.isForPrograms ? undefined : await ask(context, 'Begin? [y/N] ');
  if (saysYes(answer)) return;
  if (answer === undefined) output.line(`The tour was not begun: no person was there to be asked. ${NOT_BEGUN}`);
  throw new ReportedError(EXIT.usage, 'the tour was not begun', {
    code: 'VB_USAGE',
    hint: NOT_BEGUN,
  });
}
