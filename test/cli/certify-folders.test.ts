/** Whose tour a folder is of, and which folder a tour is kept in. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageVersion } from '../../src/base/package-version.js';
import { CertifyFolder, REHEARSAL, type TourOwner } from '../../src/lab/certify/certify-folder.js';
import { COMPARED_STEPS } from '../../src/lab/certify/tour/tour-steps.js';
import { command } from './in-process.js';

const PLIVO = {
  CARRIER_AUTH_ID: 'MATESTTESTTESTTEST00',
  CARRIER_AUTH_TOKEN: 'token',
  CARRIER_PHONE_NUMBER: '+12025550100',
  CARRIER_API_URL: 'http://127.0.0.1:9/v1',
};
const PHONES = ['--my-number', '+12025550142', '--colleague', '+12025550143', '--wrong-number', '+12025550110'];
const DAY = new Date().toISOString().slice(0, 10);
const DONE = COMPARED_STEPS;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-certify-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Without `--yes` it goes as far as the question: its plan is told, and nothing is called. */
async function certify(args: readonly string[], environment: Record<string, string> = PLIVO) {
  const given = { VOICEBOT_HOME: join(directory, 'home'), ...environment };
  const typed = ['certify', ...args, '--port', '0', '--json'];
  const { exitCode, events } = await command(typed, directory, given).finished;
  const eventOf = (name: string) => events.find(({ event }) => event === name) as Record<string, string> | undefined;
  return { exitCode, plan: eventOf('tour'), error: eventOf('error') };
}

/** A tour that has come so far. */
function tour(name: string, owner: Partial<TourOwner>, done: readonly string[]): CertifyFolder {
  const whole = { provider: 'plivo', account: REHEARSAL, voicebot: packageVersion(), ...owner };
  const folder = CertifyFolder.create(join(directory, name), whole);
  for (const step of done) folder.add({ name: step, state: 'done' }, []);
  return folder;
}

/** What tells this account from others, as a folder has it. */
async function fingerprint(): Promise<string> {
  const { accountMark } = await import('../../src/cli/certify/kept-certificate.js');
  const { carrierByName } = await import('../../src/providers/registry/carriers.js');
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken, CARRIER_API_URL: apiUrl } = PLIVO;
  const carrier = carrierByName('plivo');
  return accountMark(join(directory, 'home'), { kind: 'carrier', carrier, credentials: { authId, authToken, apiUrl } });
}

test('a rehearsal does not become the tour of an account', async () => {
  tour('rehearsed', {}, ['number', 'call-in']);
  const { exitCode, plan, error } = await certify([...PHONES, '--yes', '--resume', 'rehearsed']);
  expect([exitCode, plan]).toEqual([3, undefined]);
  expect(error).toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: expect.stringContaining(
      "rehearsed is a rehearsal on the sandbox's plivo, and this is to be a tour of an account",
    ),
    next: `npx voicebot certify ${PHONES.join(' ')} --yes --port 0 --json`,
  });
  expect(error?.hint).toMatch(/The rehearsal goes on with: npx .* --resume rehearsed .*--sandbox --carrier plivo$/);
});

test('nor the tour of an account a rehearsal, nor that of another account or another provider', async () => {
  const voicebotOf = async (owner: Partial<TourOwner>, args: readonly string[]) => {
    tour(`${args.length}-${owner.account}-${owner.provider}`, owner, ['number', 'call-in']);
    const path = `${args.length}-${owner.account}-${owner.provider}`;
    return (await certify([...args, '--yes', '--resume', path])).error;
  };
  const account = await fingerprint();
  expect((await voicebotOf({ account }, ['--sandbox']))?.message).toContain('this is to be a rehearsal');
  expect((await voicebotOf({ account: '0123456789abcdef' }, PHONES))?.message).toContain('this account is another one');
  expect((await voicebotOf({ account, provider: 'twilio' }, PHONES))?.message).toContain(
    'a tour of an account at twilio',
  );
});

test('another version of voicebot does not go on with a tour, and says how to compare it', async () => {
  tour('older', { account: await fingerprint(), voicebot: '0.9.0' }, ['number', 'call-in']);
  const { exitCode, error } = await certify([...PHONES, '--yes', '--resume', 'older']);
  expect(exitCode).toBe(3);
  expect(error?.message).toContain(`older was played with voicebot 0.9.0, and this is ${packageVersion()}`);
  expect(error?.hint).toContain('Begin a new one: npx voicebot certify');
  expect(error?.hint).not.toContain('--compare'); // it broke off: there is nothing to compare

  tour('an older one', { account: await fingerprint(), voicebot: '0.9.0' }, DONE);
  const over = await certify([...PHONES, '--yes', '--resume', 'an older one']);
  expect(over.error?.hint).toContain("npx voicebot certify --compare 'an older one'");
});

test('a folder of the first voicebot, which does not say whose it is, is none to go on with', async () => {
  const { path } = tour('first', {}, ['number', 'call-in']);
  const { account: _, voicebot: __, ...kept } = JSON.parse(readFileSync(join(path, 'steps.json'), 'utf8'));
  writeFileSync(join(path, 'steps.json'), JSON.stringify(kept));
  const { error } = await certify([...PHONES, '--yes', '--resume', 'first']);
  expect(error?.message).toContain('first was played with an earlier voicebot');
});

test('a tour that is over is none to go on with: how to see it and to make another is said', async () => {
  tour('over', { account: await fingerprint() }, DONE);
  const { exitCode, plan, error } = await certify([...PHONES, '--yes', '--resume', 'over']);
  expect([exitCode, plan]).toEqual([2, undefined]);
  expect(error).toMatchObject({
    code: 'VB_USAGE',
    message: expect.stringContaining('the tour of over is over'),
    next: 'npx voicebot certify --compare over',
  });
  expect(error?.hint).toContain('--only <step>');
});

test('a step that is named is played again, also when it is done', async () => {
  tour('over', { account: await fingerprint() }, DONE);
  const { plan } = await certify([...PHONES, '--resume', 'over', '--only', 'transfer,call-in']);
  expect(plan).toMatchObject({ steps: ['call-in', 'transfer'], folder: 'over', leftOut: [] });
});

test('what was done stays as it is until the tour begins', async () => {
  const { path } = tour('over', { account: await fingerprint() }, DONE);
  const before = readFileSync(join(path, 'steps.json'), 'utf8');
  await certify([...PHONES, '--resume', 'over', '--only', 'call-in']);
  expect(readFileSync(join(path, 'steps.json'), 'utf8')).toBe(before);
});

test('a rehearsal is kept beside the tours of an account, and a tour of the same day beside the earlier ones', async () => {
  tour(`certify-plivo-rehearsal-${DAY}`, {}, DONE);
  expect((await certify(PHONES)).plan?.folder).toBe(`certify-plivo-${DAY}`);
  const account = await fingerprint();
  tour(`certify-plivo-${DAY}`, { account }, DONE);
  expect((await certify(PHONES)).plan?.folder).toBe(`certify-plivo-${DAY}-2`);
  tour(`certify-plivo-${DAY}-2`, { account: '0123456789abcdef' }, ['number']);
  expect((await certify(PHONES)).plan?.folder).toBe(`certify-plivo-${DAY}-3`);
});

test('a tour of this account that broke off today is to be gone on with, by the whole command', async () => {
  tour(`certify-plivo-${DAY}`, { account: await fingerprint() }, ['number', 'call-in']);
  const { exitCode, error } = await certify([...PHONES, '--yes']);
  expect(exitCode).toBe(2);
  expect(error).toMatchObject({
    code: 'VB_FILE_EXISTS',
    next: `npx voicebot certify ${PHONES.join(' ')} --yes --port 0 --json --resume certify-plivo-${DAY}`,
  });
  expect(error?.hint).toContain('--output <folder>');
});

test('a folder in which nothing was played is begun anew, and a tour that is not begun leaves none', async () => {
  tour(`certify-plivo-${DAY}`, { account: await fingerprint() }, []);
  expect((await certify(PHONES)).plan?.folder).toBe(`certify-plivo-${DAY}`);
  await certify([...PHONES, '--output', 'asked']);
  expect(existsSync(join(directory, 'asked'))).toBe(false);
});

test('a tour without a telephone is refused before anything is opened', async () => {
  const { exitCode, error, plan } = await certify(['--yes']);
  expect([exitCode, plan]).toEqual([2, undefined]);
  expect(error?.message).toContain('no step can be played: it needs --my-number, your own telephone');
  expect(readdirSync(directory).filter((name) => name.startsWith('certify-'))).toEqual([]);
});

test('a step that has failed is not hidden by leaving it out', () => {
  const folder = tour('failed', {}, ['number']);
  folder.add({ name: 'call-in', state: 'failed', why: 'late' }, []);
  folder.add({ name: 'call-in', state: 'left out', why: 'you left it out' }, []);
  expect(folder.steps).toContainEqual({ name: 'call-in', state: 'failed', why: 'late' });
});

test('taking and giving back the number is of this run, whatever an earlier one has seen', () => {
  const folder = tour('resumed', {}, DONE);
  folder.begin();
  expect(folder.steps.map(({ name }) => name)).toEqual(
    DONE.filter((name) => name !== 'number' && name !== 'give-back'),
  );
  expect(folder.isOver).toBe(false);
});
