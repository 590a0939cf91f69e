import type { DeclaredDisclosure } from '../../../src/call/disclosure.js';
import { checkDisclosed, type DisclosureSettings } from '../../../src/runner/dialing/disclosure-check.js';
import { targetCheck } from '../../../src/runner/dialing/target-check.js';

const says = (declared: DeclaredDisclosure): DisclosureSettings => ({ disclosure: () => declared });
const GERMAN = '+4930901820';

/** One of each member state, and of the parts of some that have plans or codes of their own. */
const UNION = [
  '+43720880000',
  '+3225551234',
  '+35929811111',
  '+38514819000',
  '+35722300000',
  '+420224810000',
  '+4533633363',
  '+3726450000',
  '+358295000000',
  '+33140205050',
  GERMAN,
  '+302103285000',
  '+3614551000',
  '+35316710000',
  '+390667791',
  '+37167016600',
  '+37052390000',
  '+35227000000',
  '+35621230000',
  '+31207973000',
  '+48222500000',
  '+351213213000',
  '+40213102000',
  '+421220838700',
  '+38614784000',
  '+34917027000',
  '+46850680000',
  '+262262402020',
];

test.each(UNION)('%s is not called without', async (number) => {
  await expect(checkDisclosed(number, {})).rejects.toMatchObject({ code: 'VB_DISCLOSURE_MISSING' });
});

test.each(['+12025550101', '+442071838750', '+41443000000', '+4722246000', '+81312345678', '+80012345678'])(
  '%s is',
  async (number) => {
    await expect(checkDisclosed(number, {})).resolves.toBeUndefined();
  },
);

test('the hint names all three ways out, and which of them a bare function has', async () => {
  const { hint } = await checkDisclosed(GERMAN, {}).catch((error) => error);
  for (const way of [
    'disclosure: { text:',
    'disclosure: { notNeeded:',
    'VOICEBOT_DISCLOSURE_NOT_NEEDED=',
    'bare function (with acceptCall)',
  ])
    expect(hint).toContain(way);
});

test.each([
  ['the bot has one', says({ when: 'outbound' })],
  ['the bot has one for all calls', says({ when: 'always' })],
  ['the bot says why not', says({ notNeeded: 'the callee has asked for it' })],
  ['the runner says why not', { disclosureNotNeeded: 'tests of our own numbers' }],
])('a number of the Union is called where %s', async (_, settings) => {
  await expect(checkDisclosed(GERMAN, settings)).resolves.toBeUndefined();
});

test('it is asked of callees, and not of destinations of transfers', async () => {
  const check = targetCheck({ dialCountries: ['DE'], phoneNumber: '+12025550100' });
  await expect(check(GERMAN, 'phone_number')).rejects.toMatchObject({ code: 'VB_DISCLOSURE_MISSING' });
  await expect(check(GERMAN, 'toEndPoint')).resolves.toBe(GERMAN);
});

test('a country that may not be called is refused for that', async () => {
  const check = targetCheck({ dialCountries: ['US'] });
  await expect(check(GERMAN, 'phone_number')).rejects.toMatchObject({ code: 'VB_TARGET_REFUSED' });
});
