import { spawnSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { root } from './compile.js';

/** What the figures are measured on, how busy it is with other things, and of which source they are. */
export function machineLine(): string {
  const processors = cpus();
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const machine = `${processors[0]?.model.trim()}, ${processors.length} cores, ${memory}, ${process.platform}`;
  const load = `load average ${loadavg()[0]?.toFixed(1)} before`;
  const date = new Date().toISOString().slice(0, 10);
  return `${machine}, ${load}; Node ${process.versions.node}; ${date}; revision ${revision()}`;
}

function revision(): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim();
  const commit = git('rev-parse', '--short', 'HEAD');
  if (!commit) return 'unknown';
  return git('status', '--porcelain', '--', 'src', 'templates', 'bench') ? `${commit} with local changes` : commit;
}
