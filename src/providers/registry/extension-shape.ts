import { z } from 'zod';
import { CARRIER_NAMES } from './carrier-names.js';
import { carrierByName } from './carriers.js';
import { roomProviderByName, roomProviderNames } from './rooms.js';

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
  .refine((one) => one.carrier || one.rooms, 'must have a carrier, or rooms');

/** What is wrong with what the module of an extension exports, or in the way of another provider. */
export function shapeProblems(exported: unknown): string[] {
  const { error, data } = extension.safeParse(exported);
  if (error) return error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '));
  const names = [...CARRIER_NAMES, ...roomProviderNames()];
  const taken = [data.carrier, data.rooms].flatMap((one) => (one && names.includes(one.name) ? one.name : []));
  if (taken.length > 0) return taken.map((name) => `the name ${name} is that of another provider`);
  if (data.carrier && data.carrier.name === data.rooms?.name) return ['carrier and rooms must have different names'];
  return [...carrierClashes(data.carrier), ...keyClashes(data.rooms)];
}

function carrierClashes(brought: z.infer<typeof carrier> | undefined): string[] {
  if (!brought) return [];
  const { variables, signatureHeader } = brought;
  return CARRIER_NAMES.flatMap((one) => {
    const other = carrierByName(one);
    const theirs: unknown[] = Object.values(other.variables);
    const shared = Object.values(variables).filter((own) => theirs.includes(own));
    return [
      ...shared.map((own) => `carrier.variables ${own} is read for ${one}`),
      ...(other.signatureHeader === signatureHeader
        ? [`carrier.signatureHeader ${signatureHeader} is that of ${one}`]
        : []),
    ];
  });
}

function keyClashes(brought: z.infer<typeof rooms> | undefined): string[] {
  const variable = brought?.keyVariable;
  if (variable === undefined) return [];
  const ofCarriers = CARRIER_NAMES.filter((one) => Object.values(carrierByName(one).variables).includes(variable));
  const ofRooms = roomProviderNames().filter((one) => roomProviderByName(one).keyVariable === variable);
  return [...ofCarriers, ...ofRooms].map((one) => `rooms.keyVariable ${variable} is read for ${one}`);
}
