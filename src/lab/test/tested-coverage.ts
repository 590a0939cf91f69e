import { readFileSync } from 'node:fs';
import { prepareBot } from '../../runner/bots/bot-source.js';
import { botItems } from '../coverage/bot-items.js';
import { type BotCoverage, botCoverage, type TestCoverage, testCoverage } from '../coverage/coverage.js';
import type { TestOutcome } from './test-outcome.js';

/** How much of their bots the calls of a test have touched. @param botFile of scenarios that name none; absolute path */
export async function testedCoverage({ results, notRun }: TestOutcome, botFile: string): Promise<TestCoverage> {
  const botOf = ({ scenario }: { readonly scenario: { readonly bot?: string | undefined } }) => scenario.bot ?? botFile;
  const bots = new Set([...results, ...notRun].map(botOf));
  const covered: BotCoverage[] = [];
  for (const bot of bots) {
    const calls = results.filter((result) => botOf(result) === bot).flatMap(({ runs }) => runs);
    covered.push(botCoverage(bot, await filesOf(bot), calls));
  }
  return testCoverage(covered);
}

/** The names of the functions that the files of a bot have. @param bot absolute path */
export const writtenFunctions = async (bot: string): Promise<string[]> =>
  botItems(await filesOf(bot)).items.flatMap(({ kind, name }) => (kind === 'function' ? [name] : []));

/** The code that a bot is made of: its file, and those of the project that it imports; of one that does not load as far as it was read. */
async function filesOf(bot: string): Promise<Map<string, string>> {
  const read = new Map<string, string | undefined>();
  await prepareBot(bot, { keepsJavaScript: true, read }).catch(() => {}); // its scenarios tell why
  const files = [...read].flatMap(([path, text]) =>
    text !== undefined && isCode(path) ? [[path, text] as const] : [],
  );
  return new Map(files.length > 0 ? files : [[bot, textOf(bot)]]);
}

const isCode = (path: string): boolean => /\.[mc]?[jt]sx?$/.test(path) && !path.includes('node_modules');

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
