import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { Voicebot } from './voicebot.js';

/**
 * Makes the calls of scenarios with `voicebot test`, from a directory in which there is nothing else.
 * @param files absolute, or from the root of the package
 * @returns how many passed, counted once for each wire, and what failed in each call
 */
export async function testScenarios(
  files: readonly string[],
  options: readonly string[] = [],
  environment: Record<string, string> = {},
) {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-scenarios-'));
  const paths = files.map((file) => resolve(PACKAGE_ROOT, file));
  await using voicebot = new Voicebot(['test', ...paths, ...options], { home, cwd: home, environment });
  const exitCode = await voicebot.exit;
  const { all } = voicebot.events;
  const failed = all.filter(({ event, failures }) => event.startsWith('scenario') && failures?.length > 0);
  const end = all.find(({ event }) => event === 'test_ended');
  if (failed.length === 0) rmSync(home, { recursive: true }); // otherwise the folders of the calls may be needed
  return {
    exitCode,
    passed: end?.passed,
    notRun: end?.notRun,
    failed: failed.map(({ name, wire, failures }) => [name, wire, failures] as const),
  };
}

/** The same of scenarios that are in no file, two calls at once. */
export async function playScenarios(scenarios: readonly object[], environment: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'voicebot-played-'));
  const file = join(folder, 'played.yaml');
  try {
    writeFileSync(file, JSON.stringify({ scenarios }));
    return await testScenarios([file], ['--at-once', '2'], environment);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
