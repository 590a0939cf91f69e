import { normalisePhoneNumber, readPhoneNumber } from '../../src/call/phone-number.js';
import { DISGUISES } from './disguises.js';

test.each(DISGUISES)('a number with %s is that number', (_, write) => {
  expect(readPhoneNumber(write('+12025550101'))).toEqual({ number: '+12025550101' });
  expect(normalisePhoneNumber(write('+12025550101'))).toBe('+12025550101');
});

test.each([
  ['+1202555O101', 'has the letter O (U+004F) at character 9, which is no digit'],
  ['+1 202 555\u0001 0101', 'has U+0001 at character 11, which is no digit'],
  ['\u202a+1 800 FLOWERS', 'has "F" (U+0046) at character 9, which is no digit'],
  ['+1²025550101', 'has "²" (U+00B2) at character 3, which is no digit'],
  ['+12025550101,+12025550102', 'has "," (U+002C) at character 13: write one number, without anything after it'],
  ['+12025550101\n+12025550102', 'has a second "+" at character 14: write one number'],
  ['sip:ada@example.com', 'has "s" (U+0073) at character 1, which is no digit'],
  ['004930123456', 'must begin with "+" and the country code: write + in place of 00'],
  ['030 123456', 'must begin with "+" and the country code'],
  ['+0301234567', 'has a zero after the "+": no country code begins with 0'],
  ['+49', 'has 2 digits after the "+": 7 to 15 are possible'],
  ['+1234567890123456', 'has 16 digits after the "+": 7 to 15 are possible'],
  ['\u200b', 'is empty'],
  ['4.42E+11', 'was rounded by a spreadsheet: write the column as text, since digits are lost'],
  ['4,42E+11', 'was rounded by a spreadsheet: write the column as text, since digits are lost'],
])('%j %s', (written, problem) => {
  expect(readPhoneNumber(written)).toEqual({ problem });
});

test.each(['x123', ' ext. 9', ' Ext 9', ' extension 12', ';ext=9', '#9', ' Durchwahl 12'])(
  'an extension %j is refused as one',
  (extension) => {
    const read = readPhoneNumber(`+12025550101${extension}`);
    expect(read).toEqual({ problem: expect.stringContaining('has an extension, which cannot be dialled') });
  },
);

test.each(['anonymous', 'sip:12025550101@example.com', '911', ''])('%j of a carrier stays as it is', (raw) => {
  expect(normalisePhoneNumber(raw)).toBe(raw);
  expect(normalisePhoneNumber('12025550101')).toBe('+12025550101');
});
