/** A program that joins a room through a browser of its own, since no runner keeps one for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { removeLeftFolders } from '../../src/providers/daily/client/browser-folder.js';
import { allProcessesOf, foldersOf } from '../providers/daily/client/page-host.js';
import { Inbox } from '../sandbox/inbox.js';
import { startLiveRooms } from '../sandbox/rooms/live-rooms-under-test.js';
import { until } from './processes.js';

const PROGRAM = fileURLToPath(new URL('bots/own-program.mjs', import.meta.url));

let live: Awaited<ReturnType<typeof startLiveRooms>>;
let program: ChildProcess;
let lines: Inbox<string>;

beforeAll(async () => {
  live = await startLiveRooms({ timing: { tickMs: 20 } });
});

afterEach(() => {
  program.kill('SIGKILL');
});

afterAll(() => live[Symbol.asyncDispose]());

/** @param seconds how long it speaks */
async function start(seconds: number): Promise<void> {
  const room = await live.room();
  const token = await live.tokenFor(room.name, { is_owner: true });
  const { PATH = '', HOME = '' } = process.env;
  program = spawn(process.execPath, [PROGRAM, room.url, token, `${seconds}`], {
    env: { PATH, HOME, ROOMS_CLIENT: 'browser' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  lines = new Inbox();
  if (program.stdout) createInterface({ input: program.stdout }).on('line', (line) => lines.push(line));
  await lines.next((line) => line === 'joined', 20_000);
  expect(allProcessesOf(program.pid)).not.toEqual([]);
}

const nothingIsLeft = () => until(() => allProcessesOf(program.pid).length === 0, 'the browser has ended');

test('ends by itself when its call is over, and leaves no browser', async () => {
  await start(1);
  const [code] = await once(program, 'exit');
  expect({ code, lines: lines.all }).toEqual({ code: 0, lines: ['joined', 'over'] });
  await nothingIsLeft();
  expect(foldersOf(program.pid)).toEqual([]);
}, 40_000);

test.each(['SIGINT', 'SIGKILL'] as const)(
  'leaves no browser when it is ended by %s',
  async (signal) => {
    await start(60);
    program.kill(signal);
    await once(program, 'exit');
    await nothingIsLeft();
    await removeLeftFolders(); // as the next browser does
    expect(foldersOf(program.pid)).toEqual([]);
  },
  40_000,
);
