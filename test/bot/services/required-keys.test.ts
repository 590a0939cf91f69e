import { requireKeys, VENDORS, type VendorName } from '../../../src/bot/services/vendor.js';

const KEYS = Object.values(VENDORS).map(({ keyVariable }) => keyVariable);
const before = KEYS.map((name) => [name, process.env[name]] as const);
beforeEach(() => {
  for (const name of KEYS) delete process.env[name];
});
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test('names every key that is not set, and where to get it', () => {
  process.env.OPENAI_API_KEY = 'a-key';
  expect(() => requireKeys('my bot', ['deepgram', 'openai', 'cartesia'])).toThrow(
    expect.objectContaining({
      code: 'VB_CREDENTIALS_MISSING',
      message: expect.stringContaining('DEEPGRAM_API_KEY and CARTESIA_API_KEY are not set, and my bot needs them'),
    }),
  );
  expect(() => requireKeys('my bot', ['openai'])).not.toThrow();
});

test.each([
  ['deepgramm', 'there is no vendor deepgramm; did you mean deepgram?'],
  ['DEEPGRAM_API_KEY', 'there is no vendor DEEPGRAM_API_KEY; did you mean deepgram?'],
  [
    'azure',
    'there is no vendor azure; there are deepgram, cartesia, elevenlabs, openai, anthropic, google, xai, groq and assemblyai',
  ],
  ['toString', 'there is no vendor toString; there are deepgram,'],
])('refuses the name %s, which is of no provider', (name, message) => {
  expect(() => requireKeys('my bot', [name as VendorName])).toThrow(
    expect.objectContaining({ code: 'VB_CONFIG_INVALID', message: expect.stringContaining(message) }),
  );
});

test.each([
  ['openai', 'OPENAI_KEY', 'OPENAI_API_KEY'],
  ['elevenlabs', 'ELEVEN_API_KEY', 'ELEVENLABS_API_KEY'],
  ['deepgram', 'DEEPGRM_API_KEY', 'DEEPGRAM_API_KEY'],
  ['google', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
] as const)('of a missing key of %s it says that %s is not read', (provider, name, meant) => {
  process.env[name] = 'secret';
  try {
    expect(() => requireKeys('my bot', [provider])).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          new RegExp(`^((?!secret).)*\\. voicebot does not read ${name} \\(did you mean ${meant}\\?\\)$`),
        ),
      }),
    );
  } finally {
    delete process.env[name];
  }
});

test.each(['OPENAI_BASE_URL', 'OPENAI_ORGANIZATION', 'OPEN_KEY_COUNT', 'API_KEY'])('%s is no key of OpenAI', (name) => {
  process.env[name] = 'x';
  try {
    expect(() => requireKeys('my bot', ['openai'])).toThrow(/needs it$/);
  } finally {
    delete process.env[name];
  }
});
