import { PassThrough } from 'node:stream';
import { VoicebotError } from '../../src/base/errors.js';
import { Findings } from '../../src/cli/doctor/findings.js';
import { Output } from '../../src/terminal/output.js';
import { readAll } from '../terminal/read-all.js';

test('on a terminal a long finding goes on below itself, and what is to be typed stays in one piece', () => {
  const stderr = Object.assign(new PassThrough(), { columns: 60 });
  const findings = new Findings(new Output({ stdout: new PassThrough(), stderr }));
  const fix = 'Read: npx voicebot run --transport carrier --dialin --number +12025550100';
  findings.warn('settings', `.env: ${Array.from({ length: 12 }, (_, index) => `SETTING_${index}`).join(', ')}`, fix);
  const lines = readAll(stderr).trimEnd().split('\n');
  expect(lines.slice(0, -1)).toEqual([
    '! settings     .env: SETTING_0, SETTING_1, SETTING_2,',
    '               SETTING_3, SETTING_4, SETTING_5, SETTING_6,',
    '               SETTING_7, SETTING_8, SETTING_9, SETTING_10,',
    '               SETTING_11',
    '               Read:',
  ]);
  expect(lines.at(-1)?.trim()).toBe(fix.slice('Read: '.length));
});

test('two problems in one finding are two lines, and what to do is one more', () => {
  const stderr = new PassThrough();
  const findings = new Findings(new Output({ stdout: new PassThrough(), stderr }));
  findings.fail(
    'settings',
    new VoicebotError('VB_CONFIG_INVALID', 'port is wrong\nwarm\u001b[2J is wrong', { hint: 'mend' }),
  );
  expect(readAll(stderr).split('\n')).toEqual([
    '✖ settings     Configuration is not valid: port is wrong',
    '               warm is wrong',
    '               mend',
    '',
  ]);
});
