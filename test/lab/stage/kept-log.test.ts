import { silentLogger } from '../../../src/base/logger.js';
import { KeptLog } from '../../../src/lab/stage/kept-log.js';

test('lines are kept as a runner writes them: secrets, personal data and what is for debugging left out', () => {
  const log = new KeptLog(silentLogger);
  // No digits alone: the time of a line may have any.
  const before = Date.now();
  log.debug('pin is four711');
  log.info('a call', { callId: 'c-1', token: 'four711', 'pii.from': 'four711' });
  log.warn('the bot has failed', { error: 'PIN 0815 unknown' });
  const lines = log.since(before);
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toContain('four711');
  expect(lines[1]).toContain('PIN 0815 unknown');
  expect(log.since(Date.now() + 1)).toEqual([]);
});

test('the other log gets everything', () => {
  const told: string[] = [];
  const tell = (message: string) => void told.push(message);
  const log = new KeptLog({ debug: tell, info: tell, warn: tell, error: tell });
  log.debug('a');
  log.error('b');
  expect(told).toEqual(['a', 'b']);
});
