import { PassThrough } from 'node:stream';
import { outputOf, processContext } from '../../src/cli/context.js';
import { Output, type OutputStream, plain } from '../../src/cli/output.js';

function outputWith({ json = false }: { json?: boolean } = {}) {
  const stdout: OutputStream & PassThrough = new PassThrough();
  const stderr = new PassThrough();
  const output = new Output({ json, stdout, stderr });
  return { output, stdout, stderr, out: () => String(stdout.read() ?? ''), err: () => String(stderr.read() ?? '') };
}

test('text for people goes to standard error, a result to standard output, and there are no events', () => {
  const { output, out, err } = outputWith();
  output.line('hello');
  output.warn('careful');
  output.event('ready', { port: 1 });
  output.result('42');
  expect(err()).toBe('hello\n! careful\n');
  expect(out()).toBe('42\n');
});

test('events for programs go to standard output, one JSON object per line, and there is no text', () => {
  const { output, out, err } = outputWith({ json: true });
  output.line('hello');
  output.warn('careful');
  output.event('ready', { port: 1 });
  output.result('42');
  expect(err()).toBe('');
  expect(
    out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { version: 1, event: 'problem', message: 'careful' },
    { version: 1, event: 'ready', port: 1 },
  ]);
});

test.each([
  [true, undefined, '\u001b[32mgood\u001b[39m'],
  [true, '1', 'good'],
  [false, undefined, 'good'],
])('terminal %s, NO_COLOR %s', async (isTTY, NO_COLOR, shown) => {
  const context = {
    ...processContext(),
    stderr: Object.assign(new PassThrough(), { isTTY }),
    environment: { NO_COLOR },
  };
  expect((await outputOf(context)).paint.green('good')).toBe(shown);
});

test('a step off the terminal is a line, and its result or error comes through', async () => {
  const { output, err } = outputWith();
  expect(await output.step('Loading', async () => 7)).toBe(7);
  await expect(output.step('Loading', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(err()).toBe('Loading …\nLoading …\n');
});

test('a reader that leaves does no harm', () => {
  const { output, stdout } = outputWith({ json: true });
  expect(() => stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).not.toThrow();
  output.event('ended');
});

test('what came over the wire cannot drive the terminal', () => {
  expect(plain('\u001b]0;title\u0007sip:me@example.com\r\n\u009b1A')).toBe(
    '\ufffd]0;title\ufffdsip:me@example.com\ufffd\ufffd\ufffd1A',
  );
  expect(plain('+1 202 555 0100 Zoë')).toBe('+1 202 555 0100 Zoë');
});
