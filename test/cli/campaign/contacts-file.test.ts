import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  ['strokes', 'phone_number|name\n+1|Ada, Lady\n'],
  ['a delimiter that the first line names', 'sep=;\r\nphone_number;name\r\n+1;Ada, Lady\r\n'],
  ['a named delimiter after a byte order mark', '\ufeff"sep=\t"\nphone_number\tname\n+1\tAda, Lady\n'],
  ['UTF-16', Buffer.from('\ufeffphone_number\tname\r\n+1\tAda, Lady\r\n', 'utf16le')],
  ['UTF-16, the high byte first', Buffer.from('\ufeffphone_number\tname\n+1\tAda, Lady\n', 'utf16le').swap16()],
  ['lines that end with CR alone', 'phone_number;name\r+1;Ada, Lady\r'],
  ['empty columns and lines at the end', 'phone_number;name;;\n+1;Ada, Lady;;\n;;;\n  ;;;\n'],
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
  ['a quote that is not closed', 'phone_number,a\n+1,"x\n+2,y\n', /line 2, character 4: this quote is never closed/],
  ['a quote within a field', 'phone_number,a\n+1,y\n+2,5" pipe\n', /line 3, field 2: the quotes do not match/],
  ['a column of numbers with another name', 'Name,Mobile\nx,+1\n', /no column phone_number: did you mean Mobile\?/],
  ['a mistyped column of numbers', 'phone_nubmer,a\n+1,x\n', /did you mean phone_nubmer\?/],
  ['two columns of numbers', 'Phone_Number,phone-number\n+1,+2\n', /two columns phone_number/],
  ['UTF-16 without its mark', Buffer.from('phone_number\n+1\n', 'utf16le'), /UTF-8/],
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

test.each(['Phone_Number', 'PHONE NUMBER', 'phoneNumber', 'phone-number'])('the column %s has the numbers', (name) => {
  const { rows, columns } = read(`${name},Time Zone,ID\n+1,Europe/Berlin,7\n`);
  expect(rows[0]?.contact).toEqual({ phone_number: '+1', time_zone: 'Europe/Berlin', id: '7', body: {} });
  expect(columns[0]).toBe(name);
});

test('a delimiter within quotes of the header counts for nothing', () => {
  const { rows } = read('phone_number;"name, first, or, last";id\n+1;Ada;7\n');
  expect(rows[0]?.contact).toEqual({ phone_number: '+1', id: '7', body: { 'name, first, or, last': 'Ada' } });
});

test('lines are counted as the file has them, also below a line that names the delimiter', () => {
  expect(read('sep=;\nphone_number;a\n+1;x\n+2;y;z\n').rows.map(({ line }) => line)).toEqual([3, 4]);
});

test.each([
  ['=HYPERLINK("http://example.com")', `"'=HYPERLINK(""http://example.com"")"`],
  ['+cmd', "'+cmd"],
  ['+12025550101*1', "'+12025550101*1"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['\uff1d1', "'\uff1d1"],
  ['+12025550101', '+12025550101'],
  ['+1 (202) 555-0101', '+1 (202) 555-0101'],
  ['-5', '-5'],
  ['a=b', 'a=b'],
])('the field %j of the input is no formula in the results, which are read as contacts again', (field, written) => {
  const path = join(directory, 'results.csv');
  const columns = ['phone_number', 'note', '=x'];
  writeResults(path, columns, [{ fields: ['+12025550101', field, '=y'], result: undefined }]);
  const text = readFileSync(path, 'utf8');
  expect(text).toBe(
    `phone_number,note,'=x,outcome,attempts,call_id,started_at,duration_s,disclosed_at\n+12025550101,${written},'=y,skipped,0,,,,\n`,
  );
  const [row] = readContacts(path).rows;
  expect(row?.contact).toMatchObject({ phone_number: '+12025550101', body: { note: field } });
  const again = join(directory, 'again.csv');
  writeResults(again, readContacts(path).columns, [{ fields: row?.fields ?? [], result: undefined }]);
  expect(readContacts(again).columns.filter((name) => name === 'outcome')).toHaveLength(1);
});

test('results with costs have columns for them, and others have none: neither those of an earlier campaign', () => {
  const path = join(directory, 'priced.csv');
  const result = { row: 1, phoneNumber: '+12025550101', attempts: 1, outcome: 'bot_ended' } as const;
  const cost = { currency: 'EUR', amount: '0.034', isComplete: false };
  const columns = ['phone_number', 'cost', 'currency', 'call_cost'];
  const fields = ['9.90', 'CHF', 'old'];
  writeResults(path, columns, [
    { fields: ['+12025550101', ...fields], result: { ...result, cost } },
    { fields: ['+12025550102', ...fields], result: { ...result, row: 2 } },
  ]);
  expect(readFileSync(path, 'utf8').split('\n')).toEqual([
    'phone_number,cost,currency,outcome,attempts,call_id,started_at,duration_s,disclosed_at,call_cost,call_currency,call_cost_complete',
    '+12025550101,9.90,CHF,bot_ended,1,,,,,0.034,EUR,no',
    '+12025550102,9.90,CHF,bot_ended,1,,,,,,,',
    '',
  ]);
  const unpriced = join(directory, 'unpriced.csv');
  writeResults(unpriced, columns, [{ fields: ['+12025550101', ...fields], result }]);
  expect(readFileSync(unpriced, 'utf8').split('\n').slice(0, 2)).toEqual([
    'phone_number,cost,currency,outcome,attempts,call_id,started_at,duration_s,disclosed_at',
    '+12025550101,9.90,CHF,bot_ended,1,,,,',
  ]);
});
