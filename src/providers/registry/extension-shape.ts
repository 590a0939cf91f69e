import { z } from 'zod';
import { CARRIER_NAMES } from './carrier-names.js';
import { carrierByName } from './carriers.js';
import { ROOM_PROVIDER_NAMES } from './room-provider-names.js';
import { roomProviderByName } from './rooms.js';

const fn = z.custom((value) => typeof value === 'function', 'must be a function');
const text = z.string('must be a text').min(1, 'must not be empty');
const flag = z.boolean('must be true or false');

/** What a provider must not be called: what stands for others, or for none. */
const RESERVED = ['all', 'rooms', 'exotel'];

const providerName = z
  .string('must be a text')
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be small letters, digits and "-", 32 at most')
  .refine((name) => !RESERVED.includes(name), 'has another meaning for voicebot');

const apiUrl = text.refine(
  (url) => URL.canParse(url) && new URL(url).protocol === 'https:',
  'must be an https address',
);

const variable = z
  .string('must be the name of a variable')
  .regex(/^[A-Z][A-Z0-9_]{2,63}$/, 'must be capital letters, digits and "_"')
  .refine((name) => !/^(?:CARRIER|VOICEBOT|ROOMS)_/.test(name), 'must be a name of the provider, not one of voicebot');

const format = z.object(
  {
    encoding: z.enum(['PCMU', 'PCMA', 'L16'], 'must be PCMU, PCMA or L16'),
    sampleRate: z.int('must be hertz').min(8_000, 'must be 8000 or more').max(48_000, 'must be 48000 or less'),
  },
  'must have an encoding and a sampleRate',
);

const carrier = z.object(
  {
    name: providerName,
    defaultApiUrl: apiUrl,
    capabilities: z.object(
      {
        allowsStreamQuery: flag,
        transfersCalls: flag,
        audio: z.object({ telephone: format, wideband: format.optional() }, 'must be an object'),
        pressesKeys: flag,
        signsStreams: flag,
        confirmsClear: flag,
      },
      'must be an object',
    ),
    variables: z.object(
      { authId: variable.optional(), authToken: variable, phoneNumber: variable, publicKey: variable.optional() },
      'must be an object',
    ),
    signatureHeader: text.regex(/^[a-z0-9-]+$/, 'must be a header in small letters'),
    callIdParameter: text,
    createCodec: fn,
    answerDocument: fn,
    verifyWebhook: fn,
    verifyUpgrade: fn,
    parseWebhook: fn,
    isWebhookParameter: fn,
    isCallId: fn,
    createRestClient: fn,
    createNumberRouting: fn,
    looksLikeOurs: fn.optional(),
    authIdProblem: fn.optional(),
    webhookNonce: fn.optional(),
    trialWebhook: fn.optional(),
  },
  'must be an object: the carrier',
);

const rooms = z.object(
  {
    name: providerName,
    defaultApiUrl: apiUrl,
    keyVariable: variable.optional(),
    verifyWebhook: fn,
    trialWebhook: fn,
    parseWebhook: fn,
    createRestClient: fn,
    createNumberRouting: fn,
    preload: fn.optional(),
    loadClient: fn.optional(),
  },
  'must be an object: the room provider',
);

const extension = z
  .object(
    {
      providerContract: z.int('must be the version of the contract, a number'),
      carrier: carrier.optional(),
      sandbox: fn.optional(),
      rooms: rooms.optional(),
      roomsSandbox: fn.optional(),
    },
    'its default export must be an object with providerContract, and carrier or rooms',
  )
  .refine((one) => one.carrier || one.rooms, 'must have a carrier, or rooms')
  .refine((one) => one.carrier || !one.sandbox, 'must have a carrier where it has a sandbox')
  .refine((one) => one.rooms || !one.roomsSandbox, 'must have rooms where it has a roomsSandbox');

/** What is wrong with what the module of an extension exports, or in the way of another provider. */
export function shapeProblems(exported: unknown): string[] {
  const { error, data } = extension.safeParse(exported);
  if (error) return error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '));
  const { carrier: ofCalls, rooms: ofRooms } = data;
  const names = [...CARRIER_NAMES, ...ROOM_PROVIDER_NAMES];
  const taken = [ofCalls, ofRooms].flatMap((one) => (one && names.includes(one.name) ? one.name : []));
  if (taken.length > 0) return taken.map((name) => `the name ${name} is that of another provider`);
  if (ofCalls && ofCalls.name === ofRooms?.name) return ['carrier and rooms must have different names'];
  const wanted: Array<[member: string, variable: string | undefined]> = [
    ...Object.values(ofCalls?.variables ?? {}).map((variable) => ['carrier.variables', variable] as [string, string]),
    ['rooms.keyVariable', ofRooms?.keyVariable],
  ];
  const clashes = readVariables().flatMap(({ variable, provider }) =>
    wanted.flatMap(([member, own]) => (own === variable ? `${member} ${own} is read for ${provider}` : [])),
  );
  const header = ofCalls?.signatureHeader;
  const signers = CARRIER_NAMES.filter((one) => carrierByName(one).signatureHeader === header);
  return [...clashes, ...signers.map((one) => `carrier.signatureHeader ${header} is that of ${one}`)];
}

/** The variables that the accounts of the providers that there are stand in. */
function readVariables(): Array<{ readonly variable: string; readonly provider: string }> {
  const ofCarriers = CARRIER_NAMES.flatMap((provider) => {
    const { variables, regions } = carrierByName(provider);
    const { apiKey, ...others } = variables;
    const all = [...Object.values(others), apiKey?.id, apiKey?.secret, regions?.region, regions?.edge];
    return all.flatMap((variable) => (variable === undefined ? [] : { variable, provider }));
  });
  const ofRooms = ROOM_PROVIDER_NAMES.flatMap((provider) => {
    const variable = roomProviderByName(provider).keyVariable;
    return variable === undefined ? [] : { variable, provider };
  });
  return [...ofCarriers, ...ofRooms];
}
