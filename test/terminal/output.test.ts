import { PassThrough } from 'node:stream';
import { outputOf, processContext, withoutColour } from '../../src/terminal/context.js';
import { loadPaint, Output, type OutputOptions, type OutputStream } from '../../src/terminal/output.js';
import { readAll } from './read-all.js';

const NOON = new Date(2026, 0, 2, 12, 3, 4);

function outputWith(options: Partial<OutputOptions> = {}) {
  const stdout: OutputStream & PassThrough = new PassThrough();
  const stderr = new PassThrough();
  const output = new Output({ stdout, stderr, now: () => NOON, ...options });
  return { output, stdout, stderr, out: () => readAll(stdout), err: () => readAll(stderr) };
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

test('on a terminal warnings break between words, and never within an address or a command to type', () => {
  const { output, stderr, err } = outputWith({ stamp: 'time' });
  Object.assign(stderr, { columns: 60 });
  output.warn(
    'The tunnel of https://a-long-name-of-a-tunnel.trycloudflare.example/answer is down. Try: npx voicebot doctor --transport carrier. It tells more.',
    { callId: '0123456789' },
  );
  expect(err().split('\n')).toEqual([
    '12:03:04 call 01234567  ! The tunnel of',
    '                          https://a-long-name-of-a-tunnel.trycloudflare.example/answer',
    '                          is down. Try:',
    '                          npx voicebot doctor --transport carrier.',
    '                          It tells more.',
    '',
  ]);
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
    { version: 1, event: 'problem', time: NOON.toISOString(), message: 'careful' },
    { version: 1, event: 'ready', time: NOON.toISOString(), port: 1 },
  ]);
});

const COLOURED = '\u001b[32mgood\u001b[39m';
const contextOn = (isTTY: boolean, environment: Record<string, string>) => ({
  ...processContext(),
  stderr: Object.assign(new PassThrough(), { isTTY }),
  environment,
});

test.each([
  [true, {}, COLOURED],
  [true, { NO_COLOR: '1' }, 'good'],
  [true, { TERM: 'dumb' }, 'good'],
  [false, {}, 'good'],
  [false, { FORCE_COLOR: '1' }, COLOURED],
])('terminal %s, environment %j', async (isTTY, environment, shown) => {
  expect((await outputOf(contextOn(isTTY, environment))).paint.green('good')).toBe(shown);
});

test('refused on the command line, colours are not even forced', async () => {
  const output = await outputOf(withoutColour(contextOn(true, { FORCE_COLOR: '1' })));
  expect(output.paint.green('good')).toBe('good');
});

test.each([{ TERM: 'dumb' }, { CI: 'true' }])(
  'a terminal that cannot move its cursor, or is kept as a log, gets a line in place of a spinner: %j',
  async (environment) => {
    const context = contextOn(true, environment);
    const output = await outputOf(context);
    await output.step('Loading', async () => {});
    expect(await output.live(() => ['a tree'])).toBeUndefined();
    expect(readAll(context.stderr)).toBe('Loading …\n');
  },
);

test('news and warnings of a command that runs for long have the time of day', () => {
  const { output, err } = outputWith({ stamp: 'time' });
  output.line('hello');
  output.news('ringing');
  output.warn('careful');
  expect(err()).toBe('hello\n12:03:04 ringing\n12:03:04 ! careful\n');
});

test('where lines are kept they have the date, in UTC, and the level', async () => {
  const { output, err } = outputWith({ stamp: 'date' });
  output.news('ringing');
  output.warn('careful');
  output.news('broken', 'error');
  const date = NOON.toISOString();
  expect(err()).toBe(`${date} info  ringing\n${date} warn  ! careful\n${date} error broken\n`);
  const context = contextOn(false, {});
  (await outputOf(context, { isTimed: true })).news('ringing');
  expect(readAll(context.stderr)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z info {2}ringing\n$/);
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

test('what came from outside cannot drive the terminal, whichever way it is shown', async () => {
  const evil = 'a\u001b]0;title\u0007\u001b[2J\u001b[8m\u009b1A\rb\u202ec';
  const { output, out, err } = outputWith({ paint: await loadPaint() });
  output.line(`${output.paint.red('✖')} ${evil}\nnext`);
  output.news(output.paint.bold(evil));
  output.warn(evil);
  output.result(evil);
  expect(err()).toBe('\u001b[31m✖\u001b[39m a bc\nnext\n\u001b[1ma bc\u001b[22m\n\u001b[33m!\u001b[39m a bc\n');
  expect(out()).toBe('a bc\n');
});

test('without colours not even those of our own are obeyed', () => {
  const { output, err } = outputWith();
  output.line('\u001b[31mred\u001b[39m');
  expect(err()).toBe('red\n');
});

test('an event holds what came from outside as it was, in characters that any terminal shows', () => {
  const { output, out } = outputWith({ json: true });
  output.event('call', { from: '\u202e\u009b1A' });
  const line = out();
  expect(line).toContain('\\u202e\\u009b1A');
  expect(JSON.parse(line)).toMatchObject({ from: '\u202e\u009b1A' });
});
