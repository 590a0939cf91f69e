import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, type ScenarioCommand } from '../../../src/lab/test/scenario-command.js';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'voicebot-command-')));
afterAll(() => rmSync(directory, { recursive: true }));

const NODE = JSON.stringify(process.execPath);
const run = (line: string, signal?: AbortSignal, name: ScenarioCommand['name'] = 'before') =>
  runCommand({ name, line, directory, environment: { TABLE: 'two' } }, signal);

test('a command runs in the folder of the scenario, with its environment and no other', async () => {
  process.env.VOICEBOT_SECRET_OF_TEST = 'secret';
  const write =
    "require('fs').writeFileSync('out', [process.cwd(), process.env.TABLE, process.env.VOICEBOT_SECRET_OF_TEST].join())";
  try {
    expect(await run(`${NODE} -e "${write}"`)).toEqual([]);
    expect(readFileSync(join(directory, 'out'), 'utf8')).toBe(`${directory},two,`);
  } finally {
    delete process.env.VOICEBOT_SECRET_OF_TEST;
  }
});

test('one that does not succeed is a failure with its last line; before the call the bot has never started', async () => {
  expect(await run('echo seeding; echo no database >&2; exit 3')).toEqual([
    {
      kind: 'never_started',
      field: 'before',
      expected: 'that the command succeeds: echo seeding; echo no database >&2; exit 3',
      happened: 'it ended with code 3: no database',
    },
  ]);
  const [after] = await run('exit 1', undefined, 'after');
  expect(after).toEqual({
    field: 'after',
    expected: 'that the command succeeds: exit 1',
    happened: 'it ended with code 1',
  });
});

test('aborted, it is ended with what it has started', async () => {
  const stop = new AbortController();
  const running = run(`${NODE} -e "setInterval(() => {}, 1000)" & wait`, stop.signal);
  setImmediate(() => stop.abort());
  expect(await running).toMatchObject([{ happened: expect.stringContaining('it ended with SIGKILL') }]);
});
