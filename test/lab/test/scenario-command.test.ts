import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScenarioCommands } from '../../../src/lab/test/scenario-command.js';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'voicebot-command-')));
afterAll(() => rmSync(directory, { recursive: true }));

const NODE = JSON.stringify(process.execPath);
const commandsOf = (commands: { before?: string; after?: string }) =>
  new ScenarioCommands(
    { ...commands, file: join(directory, 'calls.yaml'), environment: { TABLE: 'two' } },
    process.env,
  );
const run = (line: string, signal?: AbortSignal, name: 'before' | 'after' = 'before') =>
  commandsOf({ [name]: line }).run(name, signal);

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

test('one that does not succeed is a failure with its last line; before the call it has a kind of its own', async () => {
  expect(await run('echo seeding; echo no database >&2; exit 3')).toEqual([
    {
      kind: 'before_failed',
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

test('what a command leaves running goes on, does not keep a failure back, and is ended with the scenario', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const connected = once(server, 'connection');
  const left = `${NODE} -e "require('net').connect(${port}, '127.0.0.1')" &`;
  const commands = commandsOf({ before: left, after: `${left} echo no room; exit 1` });
  try {
    expect(await commands.run('before')).toEqual([]);
    const [socket] = await connected;
    expect(await commands.run('after')).toMatchObject([{ happened: 'it ended with code 1: no room' }]);
    const gone = once(socket, 'close');
    socket.on('error', () => {}).resume();
    commands.close();
    await gone;
  } finally {
    server.close();
  }
});

test('aborted before, no command is run', async () => {
  expect(await run('touch ran', AbortSignal.abort())).toEqual([]);
  expect(existsSync(join(directory, 'ran'))).toBe(false);
});
