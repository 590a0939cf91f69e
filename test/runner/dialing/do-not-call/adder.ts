import { DoNotCallFile } from '../../../../src/runner/dialing/do-not-call/list-file.js';

// Puts numbers on a list, one after the other, and says which are there: for a test that kills it.
const [, , path = '', first = '0'] = process.argv;
const file = new DoNotCallFile(path);
for (let index = Number(first); ; index += 1) {
  const number = `+1202${5_550_000 + index}`;
  await file.add([{ number, how: 'said' }]);
  process.stdout.write(`${number}\n`);
}
