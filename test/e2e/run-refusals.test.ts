import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountRuns, openAccountRuns } from './account-runs.js';
import { ROOM_NUMBERS } from './accounts.js';

let runs: AccountRuns;

openAccountRuns(
  (opened) => {
    runs = opened;
  },
  () => runs.expectAsBefore(),
);

const BOTH = ['carrier', 'rooms'] as const;

describe('the provider refuses the credentials: exit 4, naming where they come from, and no bot is started', () => {
  test.each([
    ['carrier', 'token', { CARRIER_AUTH_TOKEN: 'not-the-token' }, ['CARRIER_AUTH_ID', 'CARRIER_AUTH_TOKEN']],
    ['carrier', 'account', { CARRIER_AUTH_ID: 'MASOMEBODYELSE000000' }, ['CARRIER_AUTH_ID', 'CARRIER_AUTH_TOKEN']],
    ['rooms', 'key', { ROOMS_API_KEY: 'not-the-key' }, ['ROOMS_API_KEY']],
  ] as const)('%s: a wrong %s', async (transport, _what, environment, variables) => {
    const { exitCode, error, told, started } = await runs.refused({ transport, environment });
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 4, code: 'VB_CREDENTIALS_REFUSED' });
    for (const variable of variables) expect(`${error.message} ${error.hint}`).toContain(variable);
    expect(told).not.toMatch(/not-the-(token|key)/);
    expect(started).toEqual([]);
  });
});

describe('no number to answer: exit 3 with the numbers of the account', () => {
  test.each(BOTH)('%s: the one that is named is not on it', async (transport) => {
    const { exitCode, error } = await runs.refused({ transport, args: ['--number', '+12025550142'] });
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 3, code: 'VB_NUMBER_UNKNOWN' });
    expect(error.message).toContain('+12025550142');
    for (const number of Object.values(ROOM_NUMBERS)) expect(error.message).toContain(number);
  });

  test.each(BOTH)('%s: none is named and there are several', async (transport) => {
    const environment = { CARRIER_PHONE_NUMBER: '', ROOMS_PHONE_NUMBER: '' };
    const { exitCode, error } = await runs.refused({ transport, environment });
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 3, code: 'VB_NUMBER_AMBIGUOUS' });
    for (const number of Object.values(ROOM_NUMBERS)) expect(error.message).toContain(number);
    expect(error.hint).toContain('--number');
  });
});

describe('a journal that cannot be written: exit 3, and the number is untouched', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'voicebot-journal-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test.each([
    ['the state directory is a file', () => writeFileSync(join(home, 'state'), '')],
    [
      'the folder of the journal is a file',
      () => {
        mkdirSync(join(home, 'state'));
        writeFileSync(join(home, 'state', 'leases'), '');
      },
    ],
  ])('%s', async (_how, spoil) => {
    spoil();
    const { exitCode, error } = await runs.refused({ home: join(home, 'state') });
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 3, code: 'VB_CONFIG_INVALID' });
    expect(error.message).toContain(join(home, 'state'));
    expect(error.hint).toContain('VOICEBOT_HOME');
  });
});
