// Writes assets/certify/<provider>.json: what the sandbox says as each provider in a tour of `voicebot certify`, and where the sources
// read it. Real providers are compared with that. Takes about a minute and a half for each tour, three tours for each provider; and in a few
// seconds each the number is taken and given back as it can be in accounts as people have them.
//
//   npm run certify:sandbox                  all providers
//   npm run certify:sandbox -- twilio daily  these
//   npm run certify:sandbox -- --uses        no tour: only where the sources read it now
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NUMBERS_BEFORE } from './certify-numbers.mjs';
import { freePort } from './free-port.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
const { parseCertifyRequest } = await dist('cli/certify/certify-request.js');
const { COMPARED_STEPS } = await dist('lab/certify/tour/tour-steps.js');
const { runCertify } = await dist('cli/certify/run-certify.js');
const { CertifyFolder } = await dist('lab/certify/certify-folder.js');
const { profileOf, withSharedQuirks } = await dist('lab/certify/compare/profile.js');
const { outputOf, processContext } = await dist('terminal/context.js');
const { CARRIER_NAMES } = await dist('providers/registry/carrier-names.js');
const { newAccount } = await dist('sandbox/new-account.js');
const { startSandbox } = await dist('sandbox/sandbox.js');
const { DEFAULT_ROOM_PROVIDER } = await dist('providers/registry/room-provider-names.js');

const TOURS = 3;
const ALL = [...CARRIER_NAMES, DEFAULT_ROOM_PROVIDER];
/** Where the wires are read, beside the folder of each provider. */
const SHARED = ['src/providers', 'src/providers/applications', 'src/runner/calls/carrier'];
/** Which files read what comes on a channel: the same name is there on several, `status` say, and another file reads it. */
const READERS = {
  rest: /(applications\/.*|api|rest|room|numbers|numbers-api|number-before|refusal|calling-account|\w+-dialin|dialin-settings)\.ts$/,
  webhook:
    /(webhooks|dial-news|hangup-reason|signature|provider|\w+-dialin|webhook-parameters|carrier-routes|carrier-webhooks)\.ts$/,
  stream: /(wire|chunk-order|media-format|media-form|message-reader|digits|signature|provider|media-upgrade)\.ts$/,
  document: /(document|shared-verbs|xml-document|call-documents)\.ts$/,
  room: /providers\/\w+\/\w[\w-]*\.ts$/,
};

const work = mkdtempSync(join(tmpdir(), 'voicebot-certify-'));
try {
  const asked = process.argv.slice(2).filter((word) => word !== '--uses');
  const only = process.argv.includes('--uses');
  for (const provider of asked.length > 0 ? asked : ALL) await (only ? writeUses(provider) : write(provider));
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function write(provider) {
  mkdirSync(join(root, 'assets/certify'), { recursive: true });
  const former = existsSync(fileOf(provider)) ? readFileSync(fileOf(provider)) : undefined;
  try {
    await writeAnew(provider);
  } catch (error) {
    if (former) writeFileSync(fileOf(provider), former); // an empty one would be compared with nothing
    throw error;
  }
}

async function writeAnew(provider) {
  keep(provider, {});
  const folders = [];
  for (let tour = 1; tour <= TOURS; tour += 1) {
    console.log(`${provider}: tour ${tour} of ${TOURS}`);
    folders.push(await play(provider, join(work, `${provider}-${tour}`)));
  }
  const before = [];
  for (const number of NUMBERS_BEFORE.filter((one) => one.provider === provider && !one.isUnseen)) {
    console.log(`${provider}: a number that has ${number.title}`);
    before.push(await takeNumber(provider, number, join(work, `${provider}-before-${before.length}`)));
  }
  const steps = {};
  for (const name of COMPARED_STEPS) {
    const isOfNumber = ['number', 'give-back'].includes(name);
    const tours = [...folders, ...(isOfNumber ? before : [])].map((folder) => folder.items(name));
    if (tours.some(({ length }) => length === 0)) throw new Error(`${provider}: ${name} was not played in each tour`);
    steps[name] = profileOf(tours);
  }
  keep(provider, withSharedQuirks(steps));
}

function writeUses(provider) {
  keep(provider, JSON.parse(readFileSync(fileOf(provider), 'utf8')).steps);
}

function keep(provider, steps) {
  const reference = { version: 1, provider, steps, uses: usesOf(provider, steps) };
  writeFileSync(fileOf(provider), `${JSON.stringify(reference, null, 1)}\n`);
}

function fileOf(provider) {
  return join(root, 'assets/certify', `${provider}.json`);
}

async function play(provider, output) {
  const isRooms = provider === DEFAULT_ROOM_PROVIDER;
  const environment = { PATH: process.env.PATH, VOICEBOT_HOME: mkdtempSync(join(work, 'home-')) };
  const context = { ...processContext(undefined, environment), keyboard: undefined, directory: work };
  const options = { sandbox: true, port: 0, output, ...(isRooms ? { transport: 'rooms' } : { carrier: provider }) };
  const request = await parseCertifyRequest(options, context);
  await runCertify(request, context, await outputOf(context, { isTimed: true }), { keepsWords: true });
  return CertifyFolder.open(output);
}

/** Takes a number, and gives it back. */
async function takeNumber(provider, { set }, output) {
  const isRooms = provider === DEFAULT_ROOM_PROVIDER;
  const carrier = isRooms ? CARRIER_NAMES[0] : provider;
  const account = newAccount(carrier);
  const rooms = { apiKey: 'key-of-the-rooms' };
  const sandbox = await startSandbox({ carrier, ...account, ...(isRooms && { rooms }) });
  try {
    const { apiUrl, roomsApiUrl, number: first } = sandbox;
    const { authId, authToken, publicKey } = account;
    const number = isRooms
      ? await set({ apiUrl: roomsApiUrl, authId, key: rooms.apiKey, number: first })
      : await set({ apiUrl, authId, key: authToken, number: first });
    const environment = {
      PATH: process.env.PATH,
      VOICEBOT_HOME: mkdtempSync(join(work, 'home-')),
      ...(isRooms
        ? { ROOMS_API_KEY: rooms.apiKey, ROOMS_API_URL: roomsApiUrl, ROOMS_PHONE_NUMBER: number }
        : {
            CARRIER: carrier,
            CARRIER_AUTH_ID: authId,
            CARRIER_AUTH_TOKEN: authToken,
            ...(publicKey && { CARRIER_PUBLIC_KEY: publicKey }),
            CARRIER_API_URL: apiUrl,
            CARRIER_PHONE_NUMBER: number,
          }),
    };
    const context = { ...processContext(undefined, environment), keyboard: undefined, directory: work };
    const port = await freePort();
    const options = { yes: true, port, output, transport: isRooms ? 'rooms' : 'carrier' };
    const request = await parseCertifyRequest(options, context);
    const config = { ...request.config, publicUrl: `http://127.0.0.1:${port}` };
    const asked = { ...request, config, steps: [] };
    await runCertify(asked, context, await outputOf(context, { isTimed: true }), {
      keepsWords: true,
      isNumberOnly: true,
    });
  } finally {
    await sandbox.close();
  }
  return CertifyFolder.open(output);
}

/** Where the sources name a field, a message or a word: `src/providers/plivo/webhooks.ts:41`. */
function usesOf(provider, steps) {
  const folders = [`src/providers/${provider}`, ...SHARED];
  const lines = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) =>
        readFileSync(join(root, folder, name), 'utf8')
          .split('\n')
          .map((text, at) => ({
            text: text.replace(/^\s*(\*|\/[/*]).*/, '').replace(/\/\/ .*/, ''),
            place: `${folder}/${name}:${at + 1}`,
          })),
      ),
  );
  return Object.fromEntries(
    Object.entries(READERS).flatMap(([channel, readers]) => {
      const read = lines.filter(({ place }) => readers.test(place.split(':')[0]));
      const uses = usesIn(read, wordsOn(channel, steps));
      return Object.keys(uses).length > 0 ? [[channel, uses]] : [];
    }),
  );
}

/** Names of messages and fields, and words, of a channel. */
function wordsOn(channel, steps) {
  const words = new Set();
  for (const { items } of Object.values(steps)) {
    for (const [key, { fields }] of Object.entries(items)) {
      if (!key.startsWith(`${channel} `)) continue;
      for (const part of key.split(/[ /]+/).slice(2)) words.add(part);
      for (const [path, { values }] of Object.entries(fields)) {
        words.add(path.split('.').at(-1).replace('[]', ''));
        for (const value of values) if (/^".+"$/.test(value)) words.add(value.slice(1, -1));
      }
    }
  }
  return words;
}

function usesIn(lines, words) {
  const uses = {};
  for (const word of [...words].filter((one) => /^[A-Za-z][\w-]*$/.test(one)).sort()) {
    const named = new RegExp(`(^|[^\\w$-])(['"]${word}['"]|\\.${word}\\b(?!\\()|[{,]\\s*${word}\\b\\s*[,}=:])`);
    const places = lines.filter(({ text }) => named.test(text)).map(({ place }) => place);
    if (places.length > 0) uses[word] = places.slice(0, 5);
  }
  return uses;
}
