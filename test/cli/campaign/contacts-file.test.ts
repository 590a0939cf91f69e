import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readContacts } from '../../../src/cli/campaign/contacts-file.js';
import { resultsPath, writeResults } from '../../../src/cli/campaign/results-file.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-contacts-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function read(content: string | Buffer) {
  const path = join(directory, 'contacts.csv');
  writeFileSync(path, content);
  return readContacts(path);
}

test('columns that are not ours become custom data, and dots make objects', () => {
  const { rows } = read(
    'phone_number,id,time_zone,user.firstName,user.plan.name,note\n+12125550101,7,Europe/Berlin,Ada,gold,\n',
  );
  expect(rows).toMatchObject([
    {
      line: 2,
      contact: {
        phone_number: '+12125550101',
        id: '7',
        time_zone: 'Europe/Berlin',
        body: { user: { firstName: 'Ada', plan: { name: 'gold' } }, note: '' },
      },
    },
  ]);
});

test('lines are those where rows begin, also after empty ones and fields of several lines', () => {
  const { rows } = read('phone_number,note\n\n+1,"two\nlines"\n\n+2,x\n+3,y,z\n');
  expect(rows.map(({ line, problem }) => [line, problem !== undefined])).toEqual([
    [3, false],
    [6, false],
    [7, true],
  ]);
});

test.each([
  ['semicolons', 'phone_number;name\n+1;Ada, Lady\n'],
  ['tabs', 'phone_number\tname\n+1\tAda, Lady\n'],
  ['a byte order mark and Windows lines', '\ufeffphone_number,name\r\n+1,"Ada, Lady"\r\n'],
])('reads %s', (_, content) => {
  expect(read(content).rows[0]?.contact).toEqual({ phone_number: '+1', body: { name: 'Ada, Lady' } });
});

test.each([
  ['an empty file', '', /empty/],
  ['a header alone', 'phone_number\n', /no rows/],
  ['no column of numbers', 'number\n+1\n', /no column phone_number/],
  ['a column twice', 'phone_number,a,a\n+1,x,y\n', /two columns a/],
  ['a column without a name', 'phone_number,\n+1,x\n', /no name/],
  ['a text that is an object', 'phone_number,a,a.b\n+1,x,y\n', /a is a text, and a.b makes it an object/],
  ['a prototype', 'phone_number,a.__proto__.b\n+1,x\n', /__proto__/],
  ['quotes that do not match', 'phone_number,a\n+1,"x\n', /quotes/],
  ['another encoding', Buffer.from('phone_number,a\n+1,J\xfcrgen\n', 'latin1'), /UTF-8/],
])('refuses %s', (_, content, problem) => {
  expect(() => read(content)).toThrow(problem);
});

test('a file that is not there is named as such', () => {
  expect(() => readContacts(join(directory, 'none.csv'))).toThrow(/ENOENT/);
});

test('results never overwrite a file: a name with a number is chosen, a wished one refused', () => {
  const first = resultsPath(directory, undefined, 'a.csv');
  expect(first).toBe(join(directory, 'a-results.csv'));
  writeResults(first, ['phone_number', 'note'], [{ fields: ['+1', 'say "hi", please'], result: undefined }]);
  const second = resultsPath(directory, undefined, 'a.csv');
  expect(second).toBe(join(directory, 'a-results-2.csv'));
  expect(() => resultsPath(directory, 'a-results.csv', 'a.csv')).toThrow(
    expect.objectContaining({ code: 'VB_FILE_EXISTS' }),
  );
  expect(() => writeResults(first, [], [])).toThrow('EEXIST');
});
