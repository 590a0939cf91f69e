/**
 * A runner that can be killed, on the rooms of a sandbox elsewhere: `<sandbox as JSON> <options of the runner as JSON>`. Writes its own address,
 * and then what its bots tell.
 */
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { RunnerOnSandbox } from '../runner-on-sandbox.js';

const [sandbox = '{}', options = '{}'] = process.argv.slice(2);
const served = new RunnerOnSandbox(JSON.parse(sandbox) as Sandbox, { transport: 'rooms', ...JSON.parse(options) });
served.runner.on('bot_output', (line) => process.stdout.write(`${line}\n`));
await served.serve();
process.stdout.write(`${served.url}\n`);
