import { createLogger } from '../../src/base/logger.js';

test('a line of the log has a time, and no character that a terminal obeys or hides', () => {
  const lines: string[] = [];
  const logger = createLogger({ destination: { write: (line) => void lines.push(line) } });
  logger.info('webhook refused', { callId: 'c-1', path: '/\u202e\u009b2J\u001b[2J' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/[\p{Bidi_C}]|[^\P{Cc}\n]/u);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    time: expect.any(Number),
    callId: 'c-1',
    path: '/\u202e\u009b2J\u001b[2J',
    msg: 'webhook refused',
  });
});
