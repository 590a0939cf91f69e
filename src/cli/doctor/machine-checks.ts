import { secondNamesLine } from '../../assembly/foreign-names.js';
import { nodeProblem } from '../../base/process/node-lines.js';
import { type Config, type ConfigSources, resolveConfig } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { RunningRunners } from '../../runners/running-runners.js';
import { portProblem } from '../run/port-problem.js';
import type { Findings } from './findings.js';

/** @param version of the Node.js that this process runs on */
export function checkNode(findings: Findings, version: string): void {
  const problem = nodeProblem(version);
  if (problem) findings.warn('Node.js', problem.message, problem.fix);
  else findings.ok('Node.js', version);
}

/** Undefined when it cannot be used. */
export async function checkConfiguration(findings: Findings, sources: ConfigSources): Promise<Config | undefined> {
  try {
    const goingAway: string[] = [];
    const config = await resolveConfig({ ...sources, warn: (sentence) => void goingAway.push(sentence) });
    const files = config.environmentFiles.map(({ file, names }) => `${file}: ${names.join(', ')}`);
    const read = files.length > 0 ? files.join('; ') : 'no .env file; environment and defaults';
    findings.ok('settings', [read, secondNamesLine(config.secondNames)].filter(Boolean).join('; '));
    for (const sentence of goingAway) findings.warn('settings', sentence, 'see docs/versions.md#names-that-go-away');
    return config;
  } catch (error) {
    findings.fail('settings', error);
    return undefined;
  }
}

/** @returns whether the port is free */
export async function checkPort(findings: Findings, config: Config, sources: ConfigSources): Promise<boolean> {
  const { host, port } = config;
  const home = stateDirectory(sources.environment);
  const problem = await portProblem(config, home);
  const runner = problem && (await new RunningRunners(home).onPort(port));
  if (!problem) findings.ok('port', port === 0 ? `any free one on ${host}` : `${port} on ${host} is free`);
  else if (runner) findings.ok('port', `${port} is used by your own runner (process ${runner.pid})`);
  else if (problem.code === 'VB_PORT_IN_USE' && !config.isPortNamed && !config.publicUrl) {
    findings.ok('port', `${port} on ${host} is used by another program: a run takes the next free one`);
  } else findings.fail('port', problem);
  return !problem;
}
