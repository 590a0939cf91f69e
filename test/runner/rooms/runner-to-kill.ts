/** A runner that can be killed: `<address of the rooms> <state folder>`. Writes its own address, then serves. */
import { RunnerUnderTest } from '../runner-under-test.js';
import { roomsAccess } from './hand-rooms.js';
import { roomPuppet } from './runner-on-rooms.js';

const [apiUrl = '', stateDirectory = ''] = process.argv.slice(2);
const { runner } = new RunnerUnderTest({ provider: roomsAccess(apiUrl), botFile: roomPuppet, stateDirectory });
await runner.start();
process.stdout.write(`${runner.url}\n`);
