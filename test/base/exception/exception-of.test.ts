import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VoicebotError } from '../../../src/base/errors.js';
import { codeFrame, secretsOf } from '../../../src/base/exception/code-frame.js';
import { exceptionLines, isSameException, placeOf } from '../../../src/base/exception/exception.js';
import { exceptionOf } from '../../../src/base/exception/exception-of.js';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'voicebot-exception-'));
});
afterEach(() => rmSync(project, { recursive: true }));

function write(file: string, text: string): string {
  const path = join(project, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Thrown at these places, the nearest first. */
function thrownAt(error: Error, ...places: string[]): Error {
  error.stack = [`${error.name}: ${error.message}`, ...places.map((place) => `    at ${place}`)].join('\n');
  return error;
}

const SOURCE = 'export function greet(customer) {\n  const name = customer.name;\n  return name;\n}\n';

test('an exception has the place, three lines of code and the callers in files of the user only', () => {
  const helper = write('greet.ts', SOURCE);
  const bot = write('bot.ts', 'greet(undefined);\n');
  const foreign = write('node_modules/lib/index.js', 'const secret = 1;\n');
  const error = thrownAt(
    new TypeError('no name'),
    `read (${foreign}:1:7)`,
    `greet (${helper}:2:25)`,
    `async onCall (file://${bot}:1:1)`,
    'process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    `#runBot (${process.cwd()}/dist/runner/bots/hosted-call.js:130:7)`,
  );
  const exception = exceptionOf(error);
  expect(exception).toEqual({
    error: 'TypeError: no name',
    file: helper,
    line: 2,
    column: 25,
    frame: [
      '  1 | export function greet(customer) {',
      '> 2 |   const name = customer.name;',
      '    |                         ^',
      '  3 |   return name;',
    ],
    calls: [`onCall (${bot}:1:1)`],
  });
  expect(placeOf(exception)).toBe(`${helper}:2:25`);
  expect(exceptionLines(exception)[0]).toBe(`  ${helper}:2:25`);
  expect(isSameException(exception, exceptionOf(error))).toBe(true);
  expect(isSameException(exception, exceptionOf(thrownAt(new TypeError('no name'), `greet (${helper}:3:1)`)))).toBe(
    false,
  );
});

test('code of a package is not shown, even where nothing else is known', () => {
  const foreign = write('node_modules/lib/index.js', 'const secret = 1;\n');
  expect(exceptionOf(thrownAt(new Error('no'), `read (${foreign}:1:7)`))).toEqual({ error: 'Error: no' });
  expect(exceptionOf('a text')).toEqual({ error: 'a text' });
});

test('a file is shown as it was loaded, and the columns of its first line are those of the user', () => {
  const bot = write('bot.ts', 'saved since;\n');
  const loaded = () => ({ text: 'throw new Error();\n', movedBy: 100 });
  expect(exceptionOf(thrownAt(new Error('no'), `${bot}:1:107`), { loaded })).toMatchObject({
    column: 7,
    frame: ['> 1 | throw new Error();', '    |       ^', '  2 |'],
  });
});

test('keys are not shown, in the code or in the message', () => {
  const secrets = secretsOf({ OPENAI_API_KEY: 'abcdefgh1', PATH: '/usr/bin-long', SHORT_TOKEN: 'abc' });
  expect(secrets).toEqual(['abcdefgh1']);
  const bot = write('bot.ts', "\tconst stt = new STT('abcdefgh1');\n");
  const { error, frame } = exceptionOf(thrownAt(new Error('key abcdefgh1'), `${bot}:1:14`), { secrets });
  expect(error).toBe('Error: key [redacted]');
  expect(frame).toEqual(["> 1 |   const stt = new STT('[redacted]');", '    |               ^', '  2 |']);
  expect(codeFrame('call("sk-1234567890abcdefghijkl", 20);', 1)).toEqual(['> 1 | call("[redacted]", 20);']);
});

test('a long line is cut to what stands around the column', () => {
  const [line = '', caret = ''] = codeFrame(`${'a'.repeat(500)}X${'b'.repeat(500)}`, 1, 501);
  expect(line.length).toBeLessThan(140);
  expect(line[caret.indexOf('^')]).toBe('X');
});

test('an error tells what it comes from; one of ours its code and what to do', () => {
  expect(exceptionOf(new Error('no', { cause: new Error('no ledger') })).error).toBe('Error: no (caused by no ledger)');
  const refused = new VoicebotError('VB_CONFIG_INVALID', 'no voice', { hint: 'Give it one' });
  expect(exceptionOf(refused, { secrets: [] })).toMatchObject({ code: 'VB_CONFIG_INVALID', hint: 'Give it one' });
});

test('passwords and keys in addresses are not shown, and addresses without them are', () => {
  const told = (text: string) => exceptionOf(new Error(text), { secrets: [] }).error;
  expect(told('no answer from postgres://bot:hunter2@db.example.com/x')).toBe(
    'Error: no answer from postgres://[redacted]@db.example.com/x',
  );
  expect(told('GET https://api.example.com/a?api_key=abc123&page=2 got 401')).toBe(
    'Error: GET https://api.example.com/a?api_key=[redacted]&page=2 got 401',
  );
  expect(told('http://127.0.0.1:7860/a?page=2')).toBe('Error: http://127.0.0.1:7860/a?page=2');
});
