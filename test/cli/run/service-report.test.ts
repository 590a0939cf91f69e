import { PassThrough } from 'node:stream';
import type { ServiceState } from '../../../src/call/service-name.js';
import { tellService } from '../../../src/cli/run/service-report.js';
import { Output, type OutputOptions } from '../../../src/terminal/output.js';
import { readAll } from '../../terminal/read-all.js';

const NAME = { does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3' } as const;
const FAILED: ServiceState = { ...NAME, isWell: false, since: 1, why: 'Deepgram: 503, overloaded' };

function told(options: Partial<OutputOptions>) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = new Output({ stdout, stderr, now: () => new Date(0), ...options });
  tellService(output, FAILED);
  tellService(output, { ...NAME, isWell: true });
  const linesOf = (stream: PassThrough) => readAll(stream).split('\n').filter(Boolean);
  return { lines: linesOf(stderr), events: linesOf(stdout).map((line) => JSON.parse(line)) };
}

test('a service that fails and one that works again are a line each', () => {
  expect(told({}).lines).toEqual([
    '! Deepgram nova-3 has failed: Deepgram: 503, overloaded',
    '✔ Deepgram nova-3 works again',
  ]);
});

test('a key that is refused is told as that', () => {
  const stderr = new PassThrough();
  const why = 'Deepgram: 401';
  tellService(new Output({ stdout: new PassThrough(), stderr, now: () => new Date(0) }), {
    ...FAILED,
    why,
    code: 'VB_CREDENTIALS_REFUSED',
  });
  expect(readAll(stderr)).toBe('! Deepgram nova-3 refuses the key: Deepgram: 401\n');
});

test('programs are told the same', () => {
  const { lines, events } = told({ json: true, logsJson: true });
  expect(events).toMatchObject([
    { event: 'service', ...NAME, well: false, why: 'Deepgram: 503, overloaded' },
    { event: 'service', ...NAME, well: true },
  ]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', message: 'a service has failed', ...NAME },
    { level: 'info', message: 'a service works again', ...NAME },
  ]);
});
