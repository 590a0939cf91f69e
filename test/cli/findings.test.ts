import { PassThrough } from 'node:stream';
import { VoicebotError } from '../../src/base/errors.js';
import { Findings } from '../../src/cli/doctor/findings.js';
import { Output } from '../../src/terminal/output.js';

test('two problems in one finding are two lines, and what to do is one more', () => {
  const stderr = new PassThrough();
  const findings = new Findings(new Output({ stdout: new PassThrough(), stderr }));
  findings.fail(
    'settings',
    new VoicebotError('VB_CONFIG_INVALID', 'port is wrong\nwarm\u001b[2J is wrong', { hint: 'mend' }),
  );
  expect(String(stderr.read()).split('\n')).toEqual([
    '✖ settings     Configuration is not valid: port is wrong',
    '               warm is wrong',
    '               mend',
    '',
  ]);
});
