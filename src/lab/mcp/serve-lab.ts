import { botFileOf } from '../../assembly/create-runner.js';
import { VoicebotError } from '../../base/errors.js';
import { findOptionalPackagesFrom, importOptionalPackage } from '../../base/optional-package.js';
import { packageVersion } from '../../base/package-version.js';
import { StoppedBySignal, type StopSignal, watchSignals } from '../../terminal/signals.js';
import type { LabStageOptions } from './lab-stage.js';
import { LAB_INSTRUCTIONS, LAB_TOOLS, runTool } from './lab-tools.js';
import { PhoneLab } from './phone-lab.js';

const PACKAGE = '@modelcontextprotocol/sdk';

type ServerModule = typeof import('@modelcontextprotocol/sdk/server/index.js');
type StdioModule = typeof import('@modelcontextprotocol/sdk/server/stdio.js');
type TypesModule = typeof import('@modelcontextprotocol/sdk/types.js');

/**
 * Serves the phone lab on standard input and output until the client goes away or a signal comes; then hangs up. A second signal
 * waits for nothing.
 * @throws VoicebotError VB_CONFIG_INVALID when the protocol's SDK is not there; StoppedBySignal
 * @see https://modelcontextprotocol.io/specification
 */
export async function serveLab(options: LabStageOptions): Promise<void> {
  findOptionalPackagesFrom(botFileOf(options.config, options.context.directory));
  const [{ Server }, { StdioServerTransport }, { CallToolRequestSchema, ListToolsRequestSchema }] = await loadSdk();
  const lab = new PhoneLab(options);
  // Inputs are checked by the lab itself, which has words and codes for what is wrong with them.
  const server = new Server(
    { name: 'voicebot', version: packageVersion() },
    { capabilities: { tools: {} }, instructions: LAB_INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LAB_TOOLS.map(({ listed }) => listed) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    runTool(lab, params.name, params.arguments, signal),
  );
  const signals = watchSignals();
  try {
    const gone = clientGone();
    await server.connect(new StdioServerTransport());
    const signal = await Promise.race([signals.first, gone]);
    await Promise.race([lab.close(), signals.second]);
    await server.close();
    if (signal) throw new StoppedBySignal(signal);
  } finally {
    signals.close();
  }
}

/** Resolves when the client no longer writes to standard input or reads standard output. */
const clientGone = (): Promise<StopSignal | undefined> =>
  new Promise((resolve) => {
    const gone = () => resolve(undefined);
    process.stdin.on('end', gone).on('close', gone).on('error', gone);
    process.stdout.on('error', gone);
  });

async function loadSdk(): Promise<[ServerModule, StdioModule, TypesModule]> {
  try {
    return (await Promise.all(
      (['server/index.js', 'server/stdio.js', 'types.js'] as const).map((file) =>
        importOptionalPackage(`${PACKAGE}/${file}`),
      ),
    )) as [ServerModule, StdioModule, TypesModule];
  } catch (cause) {
    throw new VoicebotError('VB_CONFIG_INVALID', `the phone lab needs the package ${PACKAGE}, which cannot be loaded`, {
      hint: `npm install --save-dev ${PACKAGE}`,
      cause,
    });
  }
}
