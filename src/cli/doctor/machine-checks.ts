import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, type ConfigSources, resolveConfig } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { type ErrorCode, VoicebotError } from '../../errors.js';
import { secondNamesLine } from '../foreign-names.js';
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
    const read = files.length > 0 ? files.join('; ') : 'no .env file; environment and defaults';
    findings.ok('settings', [read, secondNamesLine(config.secondNames)].filter(Boolean).join('; '));
    return config;
  } catch (error) {
    findings.fail('settings', error);
    return undefined;
  }
}

const LISTEN_FAILURES: Partial<Record<string, { code: ErrorCode; why: string; fix: string }>> = {
  EADDRINUSE: {
    code: 'VB_PORT_IN_USE',
    why: '',
    fix: 'Stop the other program, or choose another port: --port 7861',
  },
  EACCES: {
    code: 'VB_CONFIG_INVALID',
    why: ' is a port that only an administrator may use',
    fix: 'Choose one above 1023: --port 7860',
  },
  EADDRNOTAVAIL: {
    code: 'VB_CONFIG_INVALID',
    why: ': this machine does not have that address',
    fix: 'Leave VOICEBOT_HOST out, or set it to 0.0.0.0',
  },
};

/** @returns whether the port is free */
export async function checkPort(findings: Findings, { host, port }: Config, sources: ConfigSources): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    findings.ok('port', port === 0 ? `any free one on ${host}` : `${port} on ${host} is free`);
    return true;
  } catch (error) {
    const runner = await new RunningRunners(stateDirectory(sources.environment)).find({ port }).catch(() => undefined);
    if (runner) findings.ok('port', `${port} is used by your own runner (process ${runner.pid})`);
    else {
      const { code, message } = error as NodeJS.ErrnoException;
      const {
        code: ours,
        why,
        fix,
      } = LISTEN_FAILURES[code ?? ''] ?? {
        code: 'VB_INTERNAL',
        why: `: ${message}`,
        fix: 'Choose another port: --port 7861',
      };
      findings.fail('port', new VoicebotError(ours, `${host}:${port}${why}`), fix);
    }
    return false;
  } finally {
    server.close();
  }
}
