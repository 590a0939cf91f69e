import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificate } from '../../../src/lab/certify/certificate.js';
import type { CertifyFolder } from '../../../src/lab/certify/certify-folder.js';
import { type PhoneTiming, ScriptedPhones } from '../../../src/lab/certify/tour/scripted-phones.js';
import type { PhoneRole } from '../../../src/lab/certify/tour/tour-phone.js';
import { type SandboxLine, tourOfSandbox } from './tour-of-sandbox.js';

/** So many tours beside each other. */
const AT_ONCE = 3;
const PROVIDERS = ['plivo', 'twilio', 'telnyx', 'daily'] as const;
const STEPS = ['call-out', 'call-out-declined', 'transfer', 'warm-transfer'];
/** They hear the bot out before they press a key. */
const LEISURELY: PhoneTiming = { ringMs: 6_000, beforeKeyMs: 12_000, talkMs: 5_000 };

/** Of two who talk, the other one hangs up. */
class OtherHangsUp extends ScriptedPhones {
  override async hangUp(role: PhoneRole): Promise<void> {
    await super.hangUp(role === 'colleague' ? 'caller' : role);
  }
}

const PEOPLE = [
  {
    who: 'take their time',
    phonesOf: (line: SandboxLine, patienceMs: number) => new ScriptedPhones(line, patienceMs, LEISURELY),
  },
  {
    who: 'hang up where the other one was asked to',
    phonesOf: (line: SandboxLine, patienceMs: number) =>
      new OtherHangsUp(line, patienceMs, { ...LEISURELY, ringMs: 1_000, beforeKeyMs: 4_000 }),
  },
];

const TOURS = PROVIDERS.flatMap((provider) => PEOPLE.map((people) => ({ provider, ...people })));
const found = new Map<string, Certificate>();
/** All that is written in their folders. */
const written = new Map<string, string>();
/** Of a call, a participant, an account, or a telephone. */
const IDENTIFIER = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|(?=[a-z]*\d)[0-9a-f]{12,}|\d{7,}/gi;

beforeAll(async () => {
  const waiting = [...TOURS];
  const play = async () => {
    for (let tour = waiting.shift(); tour; tour = waiting.shift()) {
      const { provider, who, phonesOf } = tour;
      const name = `${provider} ${who}`;
      const read = ({ path }: CertifyFolder) => void written.set(name, allIn(path));
      found.set(name, await tourOfSandbox(provider, STEPS, {}, read, { phonesOf }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, play));
}, 900_000);

const allIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('\n');

test.each(TOURS)('no identifier of $provider is written down of people who $who', ({ provider, who }) => {
  expect(written.get(`${provider} ${who}`)).toContain('warm-transfer');
  expect([...(written.get(`${provider} ${who}`) ?? '').matchAll(IDENTIFIER)].map(([one]) => one)).toEqual([]);
});

test.each(TOURS)('people who $who are no difference of $provider', ({ provider, who }) => {
  const { steps = [], differences = [] } = found.get(`${provider} ${who}`) ?? {};
  expect(steps.filter(({ name, state }) => STEPS.includes(name) && state !== 'done')).toEqual([]);
  expect(
    differences.map(({ step, kind, where, field, expected, seen }) => ({ step, kind, where, field, expected, seen })),
  ).toEqual([]);
});
