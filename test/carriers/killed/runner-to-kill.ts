/**
 * A runner that can be killed: `<carrier> <public address> <state folder>`. The credentials are in the environment. Writes its own
 * address, and then what its bots tell.
 */
import { fileURLToPath } from 'node:url';
import { carrierByName } from '../../../src/providers/registry/carriers.js';
import { RunnerUnderTest } from '../../runner/runner-under-test.js';

const [name = '', publicUrl = '', stateDirectory = ''] = process.argv.slice(2);
const { runner } = new RunnerUnderTest({
  botFile: fileURLToPath(new URL('../conformance/bot.ts', import.meta.url)),
  carrier: carrierByName(name),
  credentials: JSON.parse(process.env.CREDENTIALS ?? '{}'),
  publicUrl,
  stateDirectory,
});
runner.on('bot_output', (line) => process.stdout.write(`${line}\n`));
await runner.start();
process.stdout.write(`${runner.url}\n`);
