import { ScenariosInvalid } from '../../../src/lab/test/scenarios-invalid.js';
import { exitCodeOf } from '../../../src/terminal/exit-codes.js';
import { DIRECTORY } from './results.js';

test('bad files: every problem in one error, each with its file from here, its line and its field', () => {
  const error = new ScenariosInvalid(
    [
      { file: `${DIRECTORY}/scenarios/a.yaml`, line: 12, field: 'caller[1].press', message: 'must be keys in quotes' },
      { file: '/elsewhere/b.yaml', line: undefined, field: '', message: 'cannot be read' },
    ],
    DIRECTORY,
  );
  expect(error.message.split('\n')).toEqual([
    'A scenario is not valid: 2 problems',
    '  scenarios/a.yaml:12  caller[1].press  must be keys in quotes',
    '  /elsewhere/b.yaml  cannot be read',
  ]);
  expect(exitCodeOf(error.code)).toBe(2);
});
