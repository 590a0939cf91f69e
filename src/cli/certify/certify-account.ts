import { type Account, accountOf } from '../../assembly/account.js';
import { credentialsFor } from '../../assembly/credential-names.js';
import type { SandboxProcess } from '../../assembly/sandbox-process.js';
import { VoicebotError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { namesOf } from '../../providers/account-names.js';
import { DEFAULT_ROOM_PROVIDER } from '../../providers/registry/room-provider-names.js';
import { countriesOf } from '../../runner/dialing/dial-target.js';
import type { CertifyRequest } from './certify-request.js';

/** The account of a tour. @throws VoicebotError VB_CREDENTIALS_MISSING when there is none */
export function accountToCertify(config: Config): Account {
  const account = accountOf(config, config.transport);
  if (account) return account;
  throw new VoicebotError(
    'VB_CREDENTIALS_MISSING',
    `a tour needs an account at ${config.transport === 'rooms' ? 'the room provider' : 'a carrier'}`,
    {
      hint: `Set ${credentialsFor(config.transport, config)} in .env, or rehearse on this machine: npx voicebot certify --sandbox`,
    },
  );
}

/** The configuration with a sandbox's account in place of the user's, which a tour then treats as any other. */
export function onSandbox(config: Config, sandbox: SandboxProcess, publicUrl: string): Config {
  const { carrier, authId, authToken, publicKey, apiUrl, number: phoneNumber } = sandbox;
  const { roomsProvider = DEFAULT_ROOM_PROVIDER, roomsApiKey, roomsApiUrl } = sandbox;
  const account = {
    carrier,
    authId,
    authToken,
    ...(publicKey && { publicKey }),
    apiUrl,
    phoneNumber,
    variables: {},
    names: namesOf({}),
  };
  return {
    ...config,
    publicUrl,
    carriers: { carrier, isNamed: true, why: '--sandbox', accounts: [account] },
    roomsProvider,
    roomsApiKey,
    roomsApiUrl,
    roomsPhoneNumber: phoneNumber,
  };
}

/** A tour dials the same few telephones again and again, of people who wait for it; and nothing else is to come of it. */
export async function configOfTour(
  config: Config,
  botFile: string,
  { myNumber, colleague, wrongNumber }: TourNumbers,
): Promise<Config> {
  const operatorNumber = colleague ?? myNumber ?? config.operatorNumber; // whom the tour transfers to
  const numbers = [myNumber, colleague, wrongNumber].filter((one) => one !== undefined);
  const countries = [...(config.dialCountries ?? []), ...(await Promise.all(numbers.map(countriesOf))).flat()];
  const { eventsUrl: _, myNumber: __, ...kept } = config; // the user's application is told of no tour
  return {
    ...kept,
    bot: botFile,
    port: 0,
    isPortNamed: false,
    ...(myNumber !== undefined && { myNumber }),
    ...(operatorNumber !== undefined && { operatorNumber }),
    labNumbers: numbers,
    ...(countries.length > 0 && { dialCountries: [...new Set(countries)] }),
    dialSecondsPerNumber: 0,
    dialPerMinute: 60,
    ringSeconds: RING_SECONDS,
    machineDetection: 'off',
    record: 'off',
    warm: 2,
    callsPerProcess: 1,
    disclosureNotNeeded: 'a tour calls the telephones of those who try it',
  };
}

export type TourNumbers = Pick<CertifyRequest, 'myNumber' | 'colleague' | 'wrongNumber'>;

/** How long a telephone of the tour rings, in seconds. */
const RING_SECONDS = 20;
