import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { doNotCallPath } from '../../src/runner/dialing/do-not-call/list-file.js';
import { command } from './in-process.js';

const [A, B] = ['+12025550123', '+442079460958'] as const;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-do-not-call-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const type = (...args: string[]) => command(['do-not-call', ...args], home, { VOICEBOT_HOME: home }).finished;
const listed = async () => {
  const { events } = await type('list', '--json');
  return (events[0] as unknown as { numbers: Array<{ number: string; how: string }> }).numbers;
};

test('numbers as people write them are put on the list and taken off again', async () => {
  const added = await type('add', '+1 (202) 555-0123', '+44 (0)20 7946 0958');
  expect(added).toMatchObject({ exitCode: 0 });
  expect(added.stdout).toContain(`${A} is on the do-not-call list`);
  expect((await type('add', A)).stdout).toContain(`${A} was on the do-not-call list already`);
  expect(await listed()).toMatchObject([
    { number: A, how: 'operator' },
    { number: B, how: 'operator' },
  ]);
  expect((await type('remove', '+44 (0)20 7946 0958', '+12025550199')).stdout).toBe(
    `${B} may be called again\n+12025550199 was not on the do-not-call list\n`,
  );
  expect(await listed()).toMatchObject([{ number: A }]);
  expect((await type('list', '--sandbox')).stderr).toContain('The do-not-call list is empty.');
});

test('what cannot be used as typed is refused, all of it at once', async () => {
  const wrong = await type('add', '123', 'hello', A);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain('add 123:');
  expect(wrong.stderr).toContain('add hello:');
  for (const args of [['add'], ['list', 'x'], ['import'], ['add', A, '--skip-bad'], ['forget', A]])
    expect((await type(...args)).exitCode).toBe(2);
  expect(readdirSync(home)).toEqual([]);
});

test('a file is imported whole or not at all, unless bad lines are to be left out; the export can be imported again', async () => {
  const file = join(home, 'numbers.csv');
  writeFileSync(file, `name;Phone Number\nAnna;+1 202 555 0123\nBen;nope\nCarl;12345\nAnna again;${A}\n`);
  const refused = await type('import', file);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('line 3:');
  expect(refused.stderr).toContain('line 4:');
  expect(await listed()).toEqual([]);
  expect((await type('import', file, '--skip-bad')).stdout).toBe(
    '1 numbers added, 0 were there already, 1 are on the list\n',
  );
  writeFileSync(join(home, 'more.txt'), `${B}\n\n+1 202 555 0199\n`);
  expect((await type('import', 'more.txt', '--json')).events.at(-1)).toMatchObject({ added: 2, known: 0, size: 3 });
  await type('export', 'out.csv');
  expect(readFileSync(join(home, 'out.csv'), 'utf8')).toContain('phone_number,since,how,call_id\n');
  expect((await type('export', 'out.csv')).exitCode).toBe(2); // it would be replaced
  await type('remove', A, B);
  expect((await type('import', 'out.csv')).stdout).toContain('2 numbers added, 1 were there already');
});

test('a damaged list is told with its line and its cure, and repaired', async () => {
  await type('add', A, B);
  const path = doNotCallPath(home, false);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"number":"+44', '"nmbr":"+44'));
  const damaged = await type('add', A);
  expect(damaged.exitCode).toBe(3);
  expect(damaged.stderr).toContain('line 2 cannot be read');
  expect(damaged.stderr).toContain('npx voicebot do-not-call repair');
  const repaired = await type('repair');
  expect(repaired.exitCode).toBe(0);
  expect(repaired.stdout).toContain('line 2: lost');
  expect(await listed()).toMatchObject([{ number: A }]);
});

test('a cluster that cannot be told is named, and the list of this machine has changed', async () => {
  const settings = { CARRIER_AUTH_ID: 'MAXXXXXXXXXXXXXXXXXX', CARRIER_AUTH_TOKEN: 'x', CARRIER: 'plivo' };
  const environment = { VOICEBOT_HOME: home, VOICEBOT_CLUSTER: 'redis://127.0.0.1:1', ...settings };
  const { stderr, exitCode } = await command(['do-not-call', 'add', A], home, environment).finished;
  expect(exitCode).toBe(0);
  expect(stderr).toContain('The cluster could not be told');
  expect(await listed()).toMatchObject([{ number: A }]);
});
