import { once } from 'node:events';
import { VoicebotError } from '../../errors.js';
import { findOptionalPackagesFrom, importOptionalPackage } from '../../optional-package.js';
import { botFileOf } from '../run/create-runner.js';
import { packageVersion } from '../terminal/package-root.js';
import { StoppedBySignal, watchSignals } from '../terminal/signals.js';
import { failed, LAB_TOOLS } from './lab-tools.js';
import { PhoneLab, type PhoneLabOptions } from './phone-lab.js';

const PACKAGE = '@modelcontextprotocol/sdk';

type ServerModule = typeof import('@modelcontextprotocol/sdk/server/mcp.js');
type StdioModule = typeof import('@modelcontextprotocol/sdk/server/stdio.js');

/**
 * Serves the phone lab on standard input and output until the client goes away or a signal comes; then hangs up.
 * @throws VoicebotError VB_CONFIG_INVALID when the protocol's SDK is not there; StoppedBySignal
 * @see https://modelcontextprotocol.io/specification
 */
export async function serveLab(options: PhoneLabOptions): Promise<void> {
  findOptionalPackagesFrom(botFileOf(options.config, options.context.directory));
  const [{ McpServer }, { StdioServerTransport }] = await loadSdk();
  const lab = new PhoneLab(options);
  const server = new McpServer({ name: 'voicebot', version: packageVersion() });
  for (const { name, description, input, run } of LAB_TOOLS) {
    server.registerTool(name, { description, inputSchema: input }, (given) => run(lab, given as never).catch(failed));
  }
  const signals = watchSignals();
  try {
    await server.connect(new StdioServerTransport());
    const gone = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
    const signal = await Promise.race([signals.first, gone.then(() => undefined)]);
    await lab.close();
    await server.close();
    if (signal) throw new StoppedBySignal(signal);
  } finally {
    signals.close();
  }
}

async function loadSdk(): Promise<[ServerModule, StdioModule]> {
  try {
    return await Promise.all([
      importOptionalPackage(`${PACKAGE}/server/mcp.js`) as Promise<ServerModule>,
      importOptionalPackage(`${PACKAGE}/server/stdio.js`) as Promise<StdioModule>,
    ]);
  } catch (cause) {
    throw new VoicebotError('VB_CONFIG_INVALID', `the phone lab needs the package ${PACKAGE}, which cannot be loaded`, {
      hint: `npm install --save-dev ${PACKAGE}`,
      cause,
    });
  }
}
