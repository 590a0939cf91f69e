import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { providerOf } from '../../assembly/account.js';
import { type Closer, closeAll } from '../../assembly/close-all.js';
import { startSandboxProcess } from '../../assembly/sandbox-process.js';
import { VoicebotError } from '../../base/errors.js';
import { stateDirectory } from '../../config/environment.js';
import type { StepResult } from '../../lab/certify/certificate.js';
import { CertifyFolder } from '../../lab/certify/certify-folder.js';
import { readReference } from '../../lab/certify/reference.js';
import { PersonPhones } from '../../lab/certify/tour/person-phones.js';
import { SCRIPTED_NUMBERS, ScriptedPhones } from '../../lab/certify/tour/scripted-phones.js';
import type { TourPhones } from '../../lab/certify/tour/tour-phone.js';
import { NUMBER_TAKEN, TOUR_STEPS, type TourStep } from '../../lab/certify/tour/tour-steps.js';
import { DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { ask, type CliContext, saysYes } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { accountToCertify, configOfTour, onSandbox } from './certify-account.js';
import type { CertifyRequest } from './certify-request.js';
import { compareTour, throwUnlessCertified } from './compare-tour.js';
import { keepCertificate } from './kept-certificate.js';
import { PlayedTour } from './played-tour.js';
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
  const { isSandbox, config: given } = request;
  const report = new TourReport(output);
  const tour = await PlayedTour.open(given);
  opened.push(() => tour[Symbol.asyncDispose]());
  const carrier = given.carriers.carrier ?? DEFAULT_CARRIER;
  const expectsRooms = given.transport === 'rooms';
  const sandbox = isSandbox
    ? await output.step('Starting the sandbox', () =>
        startSandboxProcess(context.environment, {
          carrier,
          isVerbose: request.isVerbose,
          expectsRooms,
          roomsProvider: given.roomsProvider,
        }),
      )
    : undefined;
  if (sandbox) opened.push(() => sandbox.stop());
  const base = sandbox ? onSandbox(given, sandbox, tour.front.url) : given;
  const numbers = sandbox
    ? { myNumber: SCRIPTED_NUMBERS.caller, colleague: SCRIPTED_NUMBERS.colleague, wrongNumber: SANDBOX_WRONG_NUMBER }
    : request;
  const account = accountToCertify(base);
  const provider = providerOf(account);
  const reference = readReference(provider);
  const person = new PersonPhones({ caller: numbers.myNumber, colleague: numbers.colleague }, (text, asked) =>
    report.please(text, asked),
  );
  const phones = sandbox ? new ScriptedPhones(sandbox) : (wishes.phonesOf?.(person) ?? person);
  opened.push(() => phones.close());

  const folder = folderOf(request, provider, context.directory);
  const steps = request.steps.filter(({ name }) => !folder.isDone(name));
  const leftOut = steps.flatMap((step) => whyNot(step, numbers) ?? []);
  const played = steps.filter(({ name }) => !leftOut.some((one) => one.name === name));
  const unwanted = TOUR_STEPS.filter((step) => !request.steps.includes(step) && !folder.isDone(step.name));
  for (const { name } of unwanted) folder.add({ name, state: 'left out', why: 'you left it out' }, []);
  for (const one of leftOut) folder.add(one, []);
  const shownFolder = relative(context.directory, folder.path) || '.';
  const number = account.phoneNumber;
  report.plan({ provider, number, isSandbox, steps: played, leftOut, folder: shownFolder });
  if (!isSandbox && !request.isYes) await agree(context, output);

  const config = await configOfTour(base, BOT, numbers);
  const isVerbose = request.isVerbose;
  const playing = tour.play(
    {
      config,
      account,
      provider,
      reference,
      numbers,
      phones,
      keepsWords: wishes.keepsWords ?? false,
      steps: played,
      folder,
      report,
      isTaking: request.isTaking,
      isVerbose,
    },
    context,
    output,
  );
  const conclude = () => {
    const certificate = compareTour(folder, reference, isSandbox);
    folder.certify(certificate);
    report.certified(certificate, shownFolder);
    return certificate;
  };
  await playing.catch((error: unknown) => {
    // A number that cannot be taken is a difference, too; what the provider has said is told.
    if (folder.steps.some(({ name, state }) => name === NUMBER_TAKEN && state === 'failed')) conclude();
    else report.brokeOff(shownFolder);
    throw error;
  });
  const certificate = conclude();
  if (!isSandbox) keepCertificate(stateDirectory(context.environment), account, certificate);
  throwUnlessCertified(certificate);
}

function folderOf({ output, resume }: CertifyRequest, provider: string, directory: string): CertifyFolder {
  if (resume !== undefined) {
    const folder = CertifyFolder.open(resume);
    if (folder.provider === provider) return folder;
    throw new VoicebotError(
      'VB_CONFIG_INVALID',
      `${resume} is of a tour of ${folder.provider}, and this account is at ${provider}`,
    );
  }
  const day = new Date().toISOString().slice(0, 10);
  return CertifyFolder.create(output ?? resolve(directory, `certify-${provider}-${day}`), provider);
}

/** What a step lacks. */
function whyNot(
  { name, needs }: TourStep,
  { myNumber, colleague, wrongNumber }: TourNumbersOf,
): StepResult | undefined {
  const missing = [
    ...(needs.includes('caller') && myNumber === undefined ? ['--my-number, your own telephone'] : []),
    ...(needs.includes('colleague') && colleague === undefined ? ['--colleague, a second telephone'] : []),
    ...(needs.includes('wrong') && wrongNumber === undefined ? ['--wrong-number, a number that is not assigned'] : []),
  ];
  return missing.length === 0 ? undefined : { name, state: 'left out', why: `it needs ${missing.join(', and ')}` };
}

type TourNumbersOf = Pick<CertifyRequest, 'myNumber' | 'colleague' | 'wrongNumber'>;

async function agree(context: CliContext, output: Output): Promise<void> {
  const answer = output.isForPrograms ? undefined : await ask(context, 'Begin? [y/N] ');
  if (saysYes(answer)) return;
  throw new ReportedError(EXIT.usage, 'the tour was not begun', {
    code: 'VB_USAGE',
    hint: 'Begin without a question with --yes, or rehearse first: npx voicebot certify --sandbox',
  });
}
