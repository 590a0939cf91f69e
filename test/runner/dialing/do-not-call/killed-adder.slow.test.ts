import { DoNotCallFile } from '../../../../src/runner/dialing/do-not-call/list-file.js';
import { ProgramToKill } from '../../../program-to-kill.js';
import { ListFolder } from './list-folder.js';

const ADDER = new URL('adder.ts', import.meta.url);
/** Numbers that each of two processes is to have put on the list before it is killed. */
const NUMBERS = 15;

test('what a process has said to be on the list is there when it is killed, ten times, with another that writes beside it', async () => {
  using folder = new ListFolder();
  const told = new Set<string>();
  for (let kill = 0; kill < 10; kill += 1) {
    await using one = new ProgramToKill(ADDER, [folder.path, String(kill * 1_000)]);
    await using other = new ProgramToKill(ADDER, [folder.path, String(500_000 + kill * 1_000)]);
    for (const program of [one, other])
      for (let n = 0; n < NUMBERS + kill; n += 1) told.add(await program.lines.next(undefined, 30_000));
    await Promise.all([one.end('SIGKILL'), other.end('SIGKILL')]);
    const file = new DoNotCallFile(folder.path);
    expect([...told].filter((number) => !file.get(number))).toEqual([]);
  }
  await new DoNotCallFile(folder.path).add([{ number: '+442079460958', how: 'operator' }]);
  expect(new DoNotCallFile(folder.path).size).toBeGreaterThan(told.size);
}, 180_000);
