import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersion } from '../base/package-version.js';
import type { CliContext } from '../terminal/context.js';
import { aligned } from '../terminal/table.js';

/** What to do in this folder, for a person who has typed no command. */
export async function firstSteps({
  environment,
  directory,
}: Pick<CliContext, 'environment' | 'directory'>): Promise<string> {
  const { resolveConfig } = await import('../config/config.js');
  const { botFileIn, initCommand } = await import('./run/no-bot.js');
  const configured = await resolveConfig({ flags: {}, environment, directory }).catch(() => undefined);
  const named = configured?.bot;
  const found = named ?? botFileIn(directory);
  const run = named === undefined && found !== undefined ? `npx voicebot run ${found}` : 'npx voicebot run';
  const rows: [string, string][] =
    found === undefined
      ? [
          [initCommand(directory), 'make a project with a bot of your own'],
          [run, 'talk to the bundled demo in the browser, without an account'],
        ]
      : [
          [run, 'serve it, and talk to it in the browser'],
          ...(existsSync(join(directory, 'scenarios'))
            ? ([['npx voicebot test', 'play its scenarios']] as [string, string][])
            : []),
          ['npx voicebot doctor', 'see what a real call still lacks'],
        ];
  const heading =
    found === undefined
      ? 'There is no bot in this folder. Begin with one of these:'
      : `The bot of this folder is ${found}:`;
  const all: [string, string] = ['npx voicebot --help', 'see all commands'];
  const lines = aligned([...rows, all]).map((row) => `  ${row}`);
  return [`voicebot ${packageVersion()} puts a voice bot on the telephone network.`, '', heading, ...lines, ''].join(
    '\n',
  );
}
