import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, type ConfigSources, resolveConfig } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { VoicebotError } from '../../errors.js';
import { RunningRunners } from '../running-runners.js';
import type { Findings } from './findings.js';

/** Newest release line that is tried out. */
const KNOWN_MAJOR = 24;

export function checkNode(findings: Findings): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major <= KNOWN_MAJOR) findings.ok('Node.js', process.versions.node);
  else {
    findings.warn(
      'Node.js',
      `${process.versions.node} is newer than what voicebot is tried with`,
      'Should something behave oddly, use Node.js 20, 22 or 24',
    );
  }
}

/** Undefined when it cannot be used. */
export async function checkConfiguration(findings: Findings, sources: ConfigSources): Promise<Config | undefined> {
  try {
    const config = await resolveConfig(sources);
    const files = config.environmentFiles.map(({ file, names }) => `${file}: ${names.join(', ')}`);
    findings.ok('settings', files.length > 0 ? files.join('; ') : 'no .env file; environment and defaults');
    return config;
  } catch (error) {
    findings.fail('settings', error);
    return undefined;
  }
}

/** @returns whether the port is free */
export async function checkPort(findings: Findings, { host, port }: Config, sources: ConfigSources): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    findings.ok('port', `${port} on ${host} is free`);
    return true;
  } catch (error) {
    const runner = await new RunningRunners(stateDirectory(sources.environment)).find({ port }).catch(() => undefined);
    if (runner) findings.ok('port', `${port} is used by your own runner (process ${runner.pid})`);
    else {
      const { code = 'failed' } = error as NodeJS.ErrnoException;
      findings.fail(
        'port',
        new VoicebotError('VB_PORT_IN_USE', `${host}:${port} (${code})`),
        'Stop the other program, or choose another port: --port 7861',
      );
    }
    return false;
  } finally {
    server.close();
  }
}
