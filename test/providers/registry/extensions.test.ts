import { foreignNamesIn } from '../../../src/assembly/foreign-names.js';
import { ownVariables } from '../../../src/config/carrier-settings.js';
import { daily } from '../../../src/providers/daily/provider.js';
import { BUILT_IN_CARRIERS, CARRIER_NAMES } from '../../../src/providers/registry/carrier-names.js';
import {
  carrierByName,
  carrierOfWebhook,
  carriers,
  recogniseStream,
} from '../../../src/providers/registry/carriers.js';
import { extensionOf, useExtension, type VoicebotExtension } from '../../../src/providers/registry/extensions.js';
import { ROOM_PROVIDER_NAMES } from '../../../src/providers/registry/room-provider-names.js';
import { roomProviderByName } from '../../../src/providers/registry/rooms.js';
import { recordedMessage } from '../plivo/recorded-messages.js';

const { plivo } = carriers;
const VARIABLES = { authId: 'ACME_AUTH_ID', authToken: 'ACME_AUTH_TOKEN', phoneNumber: 'ACME_PHONE_NUMBER' };
const acme = { ...plivo, name: 'acme', variables: VARIABLES, signatureHeader: 'x-acme-signature' };
const extension: VoicebotExtension = { providerContract: 1, carrier: acme };

const refusal = async (wrong: object): Promise<{ code: string; message: string; hint: string }> => {
  try {
    (await useExtension(wrong as VoicebotExtension))();
  } catch (error) {
    return error as { code: string; message: string; hint: string };
  }
  throw new Error('it was accepted');
};

test('the carrier of an extension is known by its name, its webhooks and its variables, until it is taken away', async () => {
  const stop = await useExtension(extension);
  try {
    expect(carrierByName('acme')).toBe(acme);
    expect(CARRIER_NAMES).toEqual([...BUILT_IN_CARRIERS, 'acme']);
    expect(carrierOfWebhook({ 'x-acme-signature': 'x' })).toBe('acme');
    expect(extensionOf('acme')?.extension).toBe(extension);
    expect(ownVariables()).toEqual(expect.arrayContaining(Object.values(VARIABLES)));
    expect(foreignNamesIn({ ACME_TOKEN: 'x', ACME_AUTH_ID: 'y' })).toEqual([
      { name: 'ACME_TOKEN', meant: 'ACME_AUTH_TOKEN' },
    ]);
  } finally {
    stop();
  }
  expect(CARRIER_NAMES).toEqual(BUILT_IN_CARRIERS);
  expect(() => carrierByName('acme')).toThrow(expect.objectContaining({ code: 'VB_CARRIER_UNSUPPORTED' }));
  expect(foreignNamesIn({ ACME_TOKEN: 'x' })).toEqual([]);
});

test('a stream of a wire that two carriers speak is that of the carrier it is expected of', async () => {
  const start = recordedMessage('plivo/messages/start');
  const stop = await useExtension(extension);
  try {
    expect(recogniseStream([start], 'acme')).toMatchObject({ carrier: 'acme' });
    expect(recogniseStream([start], 'plivo')).toMatchObject({ carrier: 'plivo' });
    expect(recogniseStream([start])).toMatchObject({ carrier: 'plivo' });
    expect(recogniseStream(['{"event":"connected"}'], 'acme')).toBe('need_more');
    expect(recogniseStream(['{"event":"start"}'], 'acme')).toBe('unrecognised');
  } finally {
    stop();
  }
});

test('a stream that only an extension understands is recognised as that of its carrier', async () => {
  const codec = plivo.createCodec('');
  const own = { ...codec, decode: (text: string | Buffer) => codec.decode(String(text).replace('begin', 'start')) };
  const stop = await useExtension({ providerContract: 1, carrier: { ...acme, createCodec: () => own } });
  try {
    const begin = recordedMessage('plivo/messages/start').replace('"event":"start"', '"event":"begin"');
    expect(recogniseStream([begin])).toMatchObject({ carrier: 'acme' });
  } finally {
    stop();
  }
});

test.each([
  [2, 'npm install voicebot@latest'],
  [0, 'npm install the extension@latest'],
])(
  'version %s of the contract is refused, with both versions and what to update',
  async (providerContract, command) => {
    const { code, message, hint } = await refusal({ providerContract, carrier: { name: 'of another time' } });
    expect(code).toBe('VB_EXTENSION_INVALID');
    expect(message).toMatch(`is written for version ${providerContract} of the provider contract`);
    expect(message).toMatch(/voicebot \S+ has version 1/);
    expect(hint).toContain(command);
  },
);

test('everything that is wrong with an extension is told at once', async () => {
  const { message } = await refusal({
    providerContract: 1,
    carrier: {
      ...acme,
      name: 'Acme Inc',
      defaultApiUrl: 'http://acme.example.com',
      capabilities: { ...acme.capabilities, transfersCalls: 'yes' },
      variables: { ...VARIABLES, authToken: 'CARRIER_AUTH_TOKEN' },
      verifyWebhook: undefined,
    },
    sandbox: 7,
  });
  for (const wanted of [
    'carrier.name must be small letters',
    'carrier.defaultApiUrl must be an https address',
    'carrier.capabilities.transfersCalls must be true or false',
    'carrier.variables.authToken must be a name of the provider',
    'carrier.verifyWebhook must be a function',
    'sandbox must be a function',
  ])
    expect(message).toContain(wanted);
});

test.each([
  ['nothing', undefined, 'its default export must be an object'],
  ['no version', { carrier: acme }, 'providerContract must be the version'],
  [
    'the name of another carrier',
    { providerContract: 1, carrier: { ...acme, name: 'twilio' } },
    'the name twilio is that of another provider',
  ],
  [
    'the name of what is no carrier',
    { providerContract: 1, carrier: { ...acme, name: 'rooms' } },
    'has another meaning',
  ],
  [
    'variables of another carrier',
    { providerContract: 1, carrier: { ...acme, variables: plivo.variables } },
    'PLIVO_AUTH_TOKEN is read for plivo',
  ],
  [
    'the signature header of another',
    { providerContract: 1, carrier: { ...acme, signatureHeader: plivo.signatureHeader } },
    'is that of plivo',
  ],
])('an extension with %s is refused', async (_, wrong, words) => {
  expect((await refusal(wrong as object)).message).toContain(words);
});

const rooms = { ...daily, name: 'lobby', keyVariable: 'LOBBY_API_KEY' };

test('the room provider of an extension is known by its name and its key, until it is taken away', async () => {
  const stop = await useExtension({ providerContract: 1, rooms });
  try {
    expect(roomProviderByName('lobby')).toBe(rooms);
    expect(ROOM_PROVIDER_NAMES).toEqual(['daily', 'lobby']);
    expect(extensionOf('lobby')?.extension.rooms).toBe(rooms);
    expect(foreignNamesIn({ LOBBY_KEY: 'x', LOBBY_API_KEY: 'y' })).toEqual([
      { name: 'LOBBY_KEY', meant: 'LOBBY_API_KEY' },
    ]);
  } finally {
    stop();
  }
  expect(ROOM_PROVIDER_NAMES).toEqual(['daily']);
  expect(() => roomProviderByName('lobby')).toThrow(expect.objectContaining({ code: 'VB_CONFIG_INVALID' }));
});

test.each([
  ['the name of a carrier', { rooms: { ...rooms, name: 'plivo' } }, 'the name plivo is that of another provider'],
  ['the name of another room provider', { rooms: daily }, 'the name daily is that of another provider'],
  ['the key of another room provider', { rooms: { ...daily, name: 'lobby' } }, 'DAILY_API_KEY is read for daily'],
  ['a runner’s secret as its key', { rooms: { ...rooms, keyVariable: 'TWILIO_API_SECRET' } }, 'is read for twilio'],
  [
    'the key of a room provider as a token',
    { carrier: { ...acme, variables: { ...VARIABLES, authToken: 'DAILY_API_KEY' } } },
    'carrier.variables DAILY_API_KEY is read for daily',
  ],
  ['a side of a room provider alone', { carrier: acme, roomsSandbox: async () => ({}) }, 'must have rooms where'],
  ['a side of a carrier alone', { rooms, sandbox: async () => ({}) }, 'must have a carrier where'],
  ['the key of a carrier', { rooms: { ...rooms, keyVariable: 'TWILIO_AUTH_TOKEN' } }, 'is read for twilio'],
  ['one name for both', { carrier: acme, rooms: { ...rooms, name: 'acme' } }, 'must have different names'],
  ['half a room provider', { rooms: { ...rooms, parseWebhook: undefined } }, 'rooms.parseWebhook must be a function'],
  ['nothing', {}, 'must have a carrier, or rooms'],
])('an extension that brings %s is refused', async (_, brought, words) => {
  expect((await refusal({ providerContract: 1, ...brought })).message).toContain(words);
});

test('two extensions cannot bring the same carrier', async () => {
  const stop = await useExtension(extension);
  try {
    expect((await refusal(extension)).message).toContain('the name acme is that of another provider');
  } finally {
    stop();
  }
});
