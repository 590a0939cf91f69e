import { resolve } from 'node:path';
import { CARRIER_OF_ROOMS } from '../../assembly/transports.js';
import { type Config, resolveConfig } from '../../config/config.js';
import { phoneNumber } from '../../config/settings.js';
import { STEP_NAMES, TOUR_STEPS, type TourStep } from '../../lab/certify/tour/tour-steps.js';
import type { CliContext } from '../../terminal/context.js';
import { TypedOptions, UsageError } from '../../terminal/typed-options.js';

/** As typed. */
export interface CertifyOptions {
  readonly transport?: Config['transport'];
  readonly carrier?: string;
  readonly sandbox?: boolean;
  readonly number?: string;
  readonly myNumber?: string;
  readonly colleague?: string;
  readonly wrongNumber?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly output?: string;
  readonly resume?: string;
  readonly compare?: string;
  readonly publicUrl?: string;
  readonly tunnel?: Config['tunnel'];
  readonly port?: number;
  readonly take?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

export interface CertifyRequest {
  /** For the commands that a person is told to type next. */
  readonly typed: CertifyOptions;
  readonly config: Config;
  readonly isSandbox: boolean;
  /** E.164. */
  readonly myNumber: string | undefined;
  readonly colleague: string | undefined;
  readonly wrongNumber: string | undefined;
  /** In the order of the tour. */
  readonly steps: readonly TourStep[];
  /** The steps were named: one that is done is played again. */
  readonly isChosen: boolean;
  /** Absolute path; undefined: beside the working directory, by provider and day. */
  readonly output: string | undefined;
  readonly resume: string | undefined;
  readonly isTaking: boolean;
  readonly isYes: boolean;
  readonly isVerbose: boolean;
}

/** Checks everything typed before anything is asked or done. @throws UsageError naming every problem; VoicebotError VB_CONFIG_INVALID */
export async function parseCertifyRequest(
  options: CertifyOptions,
  { environment, directory }: CliContext,
): Promise<CertifyRequest> {
  const typed = new TypedOptions();
  const myNumber = typed.check('--my-number', options.myNumber, phoneNumber);
  const colleague = typed.check('--colleague', options.colleague, phoneNumber);
  const wrongNumber = typed.check('--wrong-number', options.wrongNumber, phoneNumber);
  const { only = [], skip = [], sandbox = false, output, resume, transport, carrier } = options;
  for (const name of [...only, ...skip])
    if (!isStep(name)) typed.refuse(`${name} is no step: there are ${STEP_NAMES.join(', ')}`);
  if (resume !== undefined && output !== undefined)
    typed.refuse('--resume goes on in its own folder: leave --output out');
  if (carrier && transport === 'rooms') typed.refuse(CARRIER_OF_ROOMS);
  if (sandbox && (options.publicUrl ?? options.tunnel ?? options.number) !== undefined) {
    typed.refuse(
      '--sandbox is on this machine and has a number of its own: leave --number, --public-url and --tunnel out',
    );
  }
  typed.throwIfRefused();
  const given = {
    transport,
    carrier,
    publicUrl: options.publicUrl,
    tunnel: options.tunnel,
    port: options.port,
    carrierPhoneNumber: options.number,
    roomsPhoneNumber: options.number,
  };
  const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const config = await resolveConfig({ flags, environment, directory });
  if (config.cluster !== undefined) {
    const problem =
      'a tour is taken by a runner that is alone: leave VOICEBOT_CLUSTER out, and take it with another number than the cluster has';
    throw new UsageError([problem]);
  }
  const isWanted = (name: string) => (only.length === 0 || only.includes(name)) && !skip.includes(name);
  return {
    typed: options,
    config,
    isSandbox: sandbox,
    myNumber: myNumber ?? config.myNumber,
    colleague,
    wrongNumber,
    steps: TOUR_STEPS.filter(({ name }) => isWanted(name)),
    isChosen: only.length > 0,
    output: output === undefined ? undefined : resolve(directory, output),
    resume: resume === undefined ? undefined : resolve(directory, resume),
    isTaking: options.take ?? false,
    isYes: options.yes ?? false,
    isVerbose: options.verbose ?? false,
  };
}

const isStep = (name: string) => STEP_NAMES.includes(name);
