/** What the doctor says of guesses, and of an account that has been certified. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { packageVersion } from '../../src/base/package-version.js';
import { keepCertificate, keptCertificate } from '../../src/cli/certify/kept-certificate.js';
import { Findings } from '../../src/cli/doctor/findings.js';
import { checkGuesses } from '../../src/cli/doctor/guess-checks.js';
import { resolveConfig } from '../../src/config/config.js';
import type { Certificate } from '../../src/lab/certify/certificate.js';
import { STEP_NAMES } from '../../src/lab/certify/tour/tour-steps.js';
import { daily } from '../../src/providers/daily/provider.js';
import { carrierByName } from '../../src/providers/registry/carriers.js';
import { Output } from '../../src/terminal/output.js';

const PLIVO = {
  kind: 'carrier' as const,
  carrier: carrierByName('plivo'),
  credentials: { authId: 'MATESTTESTTESTTEST00', authToken: 'a-secret-token', apiUrl: 'http://127.0.0.1:9/v1' },
};
const DAILY = {
  kind: 'rooms' as const,
  roomProvider: daily,
  credentials: { apiKey: 'a-secret-key', apiUrl: 'https://api.daily.co/v1' },
};

const CERTIFICATE: Certificate = {
  version: 1,
  voicebot: packageVersion(),
  provider: 'plivo',
  isSandbox: false,
  day: '2026-11-30T10:00:00.000Z',
  steps: [
    { name: 'call-in', state: 'done' },
    { name: 'call-out', state: 'done' },
  ],
  differences: [],
};
const DIFFERENCE = {
  step: 'call-in',
  kind: 'other word',
  where: 'stream start',
  expected: 'a',
  seen: 'b',
  why: 'It is read.',
  restsOn: [],
} as const;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-guesses-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** What is found, by the name of the check. */
async function found(account: Parameters<typeof checkGuesses>[2] = PLIVO, environment: Record<string, string> = {}) {
  const config = await resolveConfig({ flags: {}, environment, directory: '/nowhere' });
  const findings = new Findings(new Output({ stdout: new PassThrough(), stderr: new PassThrough() }));
  checkGuesses(findings, config, account, undefined, home);
  const named = (name: string) => findings.all.find(({ check }) => check === name);
  const guesses = named('guesses');
  const settled = guesses?.guesses?.filter(({ isSettled }) => isSettled).map(({ name }) => name);
  return { certified: named('certified'), guesses, settled };
}

test('tells how many guesses calls rest on, the first in words, and how many a tour settles', async () => {
  const { guesses, certified } = await found();
  const all = guesses?.guesses ?? [];
  const settleable = all.filter(({ settledBy }) => settledBy.length > 0).length;
  expect(all.length).toBeGreaterThan(3);
  expect(guesses).toMatchObject({ status: 'ok' });
  const [head, ...lines] = guesses?.message.split('\n') ?? [];
  expect(head).toBe(
    `calls at plivo rest on ${all.length} guesses about it, of which npx voicebot certify settles ${settleable}`,
  );
  const first = all.filter(({ settledBy }) => settledBy.length > 0).slice(0, 3);
  expect(lines.slice(0, 3)).toEqual(first.map(({ assumes }) => assumes));
  expect(lines[3]).toBe(`and ${all.length - 3} more: all are listed by: npx voicebot doctor --json`);
  expect(certified).toBeUndefined();
});

test('counts what the configuration has: transfers and the browser in rooms', async () => {
  const names = async (environment: Record<string, string>) =>
    (await found(DAILY, environment)).guesses?.guesses?.map(({ name }) => name);
  expect(await names({})).toContain('daily-browser-sound');
  expect(await names({ ROOMS_CLIENT: 'built-in' })).not.toContain('daily-browser-sound');
  expect(await names({})).not.toContain('daily-key-session');
  expect(await names({ OPERATOR_NUMBER: '+14155550123' })).toContain('daily-key-session');
});

test('a certified account: on which day, with which version, and what that has settled', async () => {
  keepCertificate(home, PLIVO, CERTIFICATE);
  const { certified, guesses, settled } = await found();
  expect(certified).toMatchObject({ status: 'ok' });
  expect(certified?.message).toBe(
    `plivo, as far as the tour went, on 2026-11-30, with voicebot ${packageVersion()}: 2 of 9 steps, which settle ${settled?.length} guesses; ` +
      'left out: bot-hangs-up, bot-killed, call-out-declined, call-out-unanswered, call-out-wrong, transfer, warm-transfer',
  );
  expect(settled).toContain('plivo-signed-form');
  expect(settled).not.toContain('plivo-webhook-parameters'); // which needs steps that were not played
  expect(settled).not.toContain('playback-lead');
  expect(guesses?.message).toContain(`rest on ${(guesses?.guesses?.length ?? 0) - (settled?.length ?? 0)} guesses`);
});

test('a step in which something that matters was different settles nothing, and the account is not certified', async () => {
  keepCertificate(home, PLIVO, { ...CERTIFICATE, differences: [{ ...DIFFERENCE, matters: true }] });
  const { certified, settled } = await found();
  expect(certified).toMatchObject({ status: 'warning', fix: expect.stringContaining('npx voicebot certify') });
  expect(certified?.message).toContain('not certified');
  expect(settled).toEqual([]);
});

test('a difference that does not matter changes nothing', async () => {
  keepCertificate(home, PLIVO, { ...CERTIFICATE, differences: [{ ...DIFFERENCE, matters: false }] });
  const { certified, settled } = await found();
  expect(certified).toMatchObject({ status: 'ok' });
  expect(settled).toContain('plivo-signed-form');
});

test('warns of a certificate of another version, and names both', async () => {
  keepCertificate(home, PLIVO, { ...CERTIFICATE, voicebot: '0.0.1' });
  const { certified, settled } = await found();
  expect(certified).toMatchObject({ status: 'warning', fix: expect.stringContaining('npx voicebot certify') });
  expect(certified?.message).toContain('with voicebot 0.0.1');
  expect(certified?.message).toContain(`This is voicebot ${packageVersion()}`);
  expect(settled).toContain('plivo-signed-form'); // about the provider it stays true
});

test('the certificate of another account counts for nothing', async () => {
  keepCertificate(home, PLIVO, CERTIFICATE);
  const other = { ...PLIVO, credentials: { ...PLIVO.credentials, authId: 'MATESTTESTTESTTEST01' } };
  expect((await found(other)).certified).toBeUndefined();
  expect((await found(DAILY)).certified).toBeUndefined();
});

const LATER = { ...CERTIFICATE, day: '2026-12-01T10:00:00.000Z' };
const leftOut = (...names: readonly string[]) => names.map((name) => ({ name, state: 'left out' }) as const);

test('a whole tour is told without what was left out', async () => {
  const steps = STEP_NAMES.map((name) => ({ name, state: 'done' as const }));
  keepCertificate(home, PLIVO, { ...CERTIFICATE, steps });
  expect((await found()).certified?.message).toMatch(
    /^plivo, on 2026-11-30, .*: 9 of 9 steps, which settle \d+ guesses$/,
  );
});

test('a later tour of a few steps does not take away what an earlier one has settled', async () => {
  keepCertificate(home, PLIVO, CERTIFICATE);
  const { settled } = await found();
  const steps = [{ name: 'bot-hangs-up', state: 'done' } as const, ...leftOut('call-in', 'call-out')];
  keepCertificate(home, PLIVO, { ...LATER, steps });
  const later = await found();
  expect(later.settled).toEqual(expect.arrayContaining(settled ?? []));
  expect(later.certified?.message).toContain('on 2026-12-01');
  expect(later.certified?.message).toContain('3 of 9 steps');
});

test('of each step the newest result counts, with what was different in it', async () => {
  keepCertificate(home, PLIVO, {
    ...CERTIFICATE,
    steps: [...CERTIFICATE.steps, { name: 'transfer', state: 'failed', why: 'late' }],
    differences: [
      { ...DIFFERENCE, matters: true },
      { ...DIFFERENCE, step: 'call-out', matters: false },
    ],
  });
  expect((await found()).certified?.status).toBe('warning');
  const steps = [
    { name: 'call-in', state: 'done' } as const,
    { name: 'transfer', state: 'done' } as const,
    ...leftOut('call-out'),
  ];
  keepCertificate(home, PLIVO, { ...LATER, steps });
  expect((await found()).certified).toMatchObject({ status: 'ok', message: expect.stringContaining('3 of 9 steps') });
  expect(keptCertificate(home, PLIVO)?.differences).toEqual([{ ...DIFFERENCE, step: 'call-out', matters: false }]);
});

test('a certificate of another version gives way as a whole', async () => {
  keepCertificate(home, PLIVO, { ...CERTIFICATE, voicebot: '0.0.1' });
  keepCertificate(home, PLIVO, { ...LATER, steps: [{ name: 'bot-hangs-up', state: 'done' }] });
  expect((await found()).certified?.message).toContain('1 of 9 steps');
});

test('the file tells nothing of the account, and only its owner may read it', async () => {
  keepCertificate(home, PLIVO, CERTIFICATE);
  keepCertificate(home, PLIVO, { ...CERTIFICATE, day: '2026-12-01T10:00:00.000Z' });
  const [file = '', ...others] = readdirSync(join(home, 'certified'));
  expect(others).toEqual([]);
  expect(file).toMatch(/^plivo-[0-9a-f]{16}\.json$/);
  expect(`${file}${readFileSync(join(home, 'certified', file), 'utf8')}`).not.toMatch(/MATEST|secret/);
  if (process.platform !== 'win32') expect(statSync(join(home, 'certified', file)).mode & 0o077).toBe(0);
  expect((await found()).certified?.message).toContain('2026-12-01');
});

test('a damaged file counts as none', async () => {
  keepCertificate(home, PLIVO, CERTIFICATE);
  const [file = ''] = readdirSync(join(home, 'certified'));
  writeFileSync(join(home, 'certified', file), '{"version":1');
  expect((await found()).certified).toBeUndefined();
  writeFileSync(join(home, 'certified', file), '{"version":2,"steps":[],"differences":[]}');
  expect((await found()).certified).toBeUndefined();
});
