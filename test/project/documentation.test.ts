import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ERROR_SUMMARIES } from '../../src/base/errors.js';
import { END_REASONS } from '../../src/call/call.js';
import { ownVariables } from '../../src/config/carrier-settings.js';
import { SETTINGS, type Setting } from '../../src/config/settings.js';
import * as pipeline from '../../src/doors/pipeline.js';
import * as services from '../../src/doors/services.js';
import * as voicebot from '../../src/index.js';
import { daily } from '../../src/providers/daily/provider.js';
import { errorDocs } from '../../src/terminal/error-docs.js';
import { EXIT } from '../../src/terminal/exit-codes.js';
import { command } from '../cli/in-process.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { documents, filesIn, read } from './repository.js';

/** What GitHub makes of a heading, so that a link can lead to it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

/** Whether a file is there, and in it a heading for the anchor. */
const leadsSomewhere = (path: string, anchor?: string) =>
  existsSync(PACKAGE_ROOT + path) &&
  (!anchor || [...read(path).matchAll(/^#+ (.+)$/gm)].some(([, heading = '']) => anchorOf(heading) === anchor));

/** Rows of a Markdown table that start with a word in back quotes: that word and the other cells. */
const rows = (markdown: string) =>
  [...markdown.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, name = '', rest = '']) => [
    name,
    ...rest.split('|').map((cell) => cell.trim()),
  ]);

test('docs/errors.md has a section, to which the terminal leads, for exactly the error codes there are, in order', () => {
  const [, ...sections] = read('docs/errors.md').split(/^## /m);
  const described = sections.map((section) => {
    const [code = '', summary = '', list = ''] = section.trim().split('\n\n');
    expect(list).toMatch(/^- \*\*Cause:\*\* .+\.\n- \*\*Cure:\*\* .+\.$/s);
    expect(errorDocs(code)).toBe(`${pathToFileURL(PACKAGE_ROOT)}docs/errors.md#${anchorOf(code)}`);
    return [code, summary.replace(/\.$/, '')];
  });
  expect(described).toEqual(Object.entries(ERROR_SUMMARIES));
});

test('the error codes are in alphabetical order', () => {
  const codes = Object.keys(ERROR_SUMMARIES);
  expect(codes).toEqual(codes.toSorted());
});

test('docs/settings.md lists every setting', () => {
  const page = read('docs/settings.md');
  const names = rows(page).map(([name]) => name);
  for (const { variable } of Object.values<Setting<unknown>>(SETTINGS)) expect(names).toContain(variable);
  expect(page).toContain(`\`${daily.keyVariable}\` is read where it is not set`);
  for (const variable of ownVariables()) expect(page).toMatch(new RegExp(`^\\| .*\`${variable}\`.* \\|$`, 'm'));
});

test('docs/cli.md lists every exit code', () => {
  const names = rows(read('docs/cli.md')).map(([name]) => name);
  for (const exitCode of Object.values(EXIT)) expect(names).toContain(String(exitCode));
});

/** The options of each command, as its help has them. */
async function optionsOfCommands(): Promise<ReadonlyMap<string, readonly string[]>> {
  const helpOf = async (args: readonly string[]) => (await command([...args, '--help'], PACKAGE_ROOT).finished).stdout;
  const [, listed = ''] = (await helpOf([])).split('Commands:');
  const names = [...listed.matchAll(/^ {2}(\S+)/gm)].map(([, word = '']) => word).filter((name) => name !== 'help');
  const optionsIn = (help: string) =>
    [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = '']) => option);
  return new Map(await Promise.all(names.map(async (name) => [name, optionsIn(await helpOf([name]))] as const)));
}

test('docs/cli.md has a section for every command, with every option', async () => {
  const commands = await optionsOfCommands();
  expect([...commands.keys()]).toContain('run');
  const page = read('docs/cli.md');
  const everywhere = rows(page.split('\n## ')[0] ?? '').map(([option]) => option);
  expect(everywhere).toEqual(['--json', '--verbose']);
  const missing: string[] = [];
  for (const [name, options] of commands) {
    const [, section] = page.split(`\n## ${name}\n`);
    if (!section || !page.includes(`npx voicebot ${name}`)) missing.push(name);
    const [documented = ''] = (section ?? '').split('\n## ');
    expect(options).toContain('--help');
    for (const option of options) {
      if (option === '--help' || everywhere.includes(option)) continue;
      if (!documented.includes(`\`${option}`)) missing.push(`${name} ${option}`);
    }
  }
  expect(missing).toEqual([]);
});

test('every command that a message recommends exists, with its options', async () => {
  const commands = await optionsOfCommands();
  const recommended = filesIn('src', '.ts', '.tsx').flatMap((file) =>
    [...read(file).matchAll(/npx voicebot ([a-z][a-z-]*)([^\n]*)/g)].map(([, name = '', line = '']) => {
      const [words = ''] = line
        .replaceAll(/\$\{(?:[^{}()]|\((?:[^()]|\([^()]*\))*\))*\}|https?:\/\/[^\s'"`]*/g, 'value') // what is put in, and addresses
        .split(/npx voicebot|['"`]|[.,;:](?: |$)| #/, 1);
      return { file, words: name + words, name, options: words.match(/--[a-z][a-z-]*/g) ?? [] };
    }),
  );
  expect(recommended.length).toBeGreaterThan(40);
  const unknown = recommended.flatMap(({ file, words, name, options }) => {
    const known = commands.get(name);
    return known && options.every((option) => known.includes(option)) ? [] : [`${file}: ${words}`];
  });
  expect(unknown).toEqual([]);
});

test('docs/runner.md lists every reason a call can end for', () => {
  expect(rows(read('docs/runner.md')).map(([name]) => name)).toEqual(expect.arrayContaining([...END_REASONS]));
});

test('every link of a document leads to a file, and to a heading in it', () => {
  const links = [...documents(), 'AGENTS.md', 'llms.txt', 'src/README.md'].flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([link, path = '', anchor]) => ({
      link: `${page} ${link}`,
      isBroken: !leadsSomewhere(path ? join(dirname(page), path) : page, anchor),
    })),
  );
  expect(links.length).toBeGreaterThan(300);
  expect(links.flatMap(({ link, isBroken }) => (isBroken ? [link] : []))).toEqual([]);
});

test('every page of docs that code, templates and scripts name is there, with the heading', () => {
  const files = ['src', 'templates', 'test', 'scripts', 'bin'].flatMap((folder) =>
    filesIn(folder, '.ts', '.tsx', '.mjs', '.cjs', '.js', '.md', '.yaml', '.yml', '.json', 'Caddyfile', '.conf'),
  );
  const sources = files.filter((file) => !file.includes('node_modules'));
  const named = sources.flatMap((file) =>
    [...read(file).matchAll(/\bdocs\/([\w/-]+\.md)(?:#([\w-]+))?/g)].map(([name, path = '', anchor]) => ({
      name: `${file}: ${name}`,
      isBroken: !leadsSomewhere(`docs/${path}`, anchor),
    })),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.flatMap(({ name, isBroken }) => (isBroken ? [name] : []))).toEqual([]);
});

test('every picture is shown by a document, and small', () => {
  const pages = documents().map(read).join('');
  const pictures = readdirSync(`${PACKAGE_ROOT}docs/pictures`);
  expect(pictures.filter((name) => !pages.includes(`pictures/${name})`))).toEqual([]);
  const kibibytes = pictures.map((name) => statSync(`${PACKAGE_ROOT}docs/pictures/${name}`).size / 1_024);
  expect(Math.max(...kibibytes)).toBeLessThan(300);
});

test('docs/contributing/architecture.md and src/README.md show the wings in the order that imports are checked by', () => {
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    forbidden: { name: string; to: { path: string } }[];
  };
  const rules = forbidden.filter(({ name }) => name.startsWith('wing-'));
  const last = /\(([\w|]+)\)/.exec(rules.at(-1)?.to.path ?? '')?.[1];
  const beside = (path: string) =>
    rules.filter(({ to }) => to.path === path).map(({ name }) => name.replace('wing-', ''));
  const wings = [...new Set(rules.map(({ to }) => to.path))].map(beside); // what may not import the same is side by side
  const [, block = ''] = /^## Wings\n.*?```\n(.*?)\n```/ms.exec(read('docs/contributing/architecture.md')) ?? [];
  expect(block.split('\n').map((line) => line.split(/ {2,}/)[0]?.split(' '))).toEqual([...wings, [last]]);
  const [, tree = ''] = /```\n(.*?)\n```/s.exec(read('src/README.md')) ?? [];
  const shown = [...tree.matchAll(/^((?:[\w.]+\/? )+)/gm)].flatMap(([, names = '']) => names.trim().split(' '));
  const folders = readdirSync(`${PACKAGE_ROOT}src`, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
  expect(shown.toSorted()).toEqual(folders.filter((name) => name !== 'README.md').toSorted());
});

describe('the walks of docs/contributing/architecture.md', () => {
  const walks = read('docs/contributing/architecture.md')
    .split(/^### /m)
    .filter((part) => part.startsWith('Walk: '));
  const steps = walks
    .map((walk) => walk.split(/^#+ /m)[0] ?? '')
    .map(
      (walk) =>
        [
          walk.split('\n')[0] ?? '',
          [...walk.matchAll(/\[`([#\w]+)`\]\(\.\.\/\.\.\/(src\/[^)]+)\)/g)].map(([, name = '', path = '']) => ({
            name,
            path,
          })),
        ] as const,
    );

  test('are five, and each is linked in src/README.md', () => {
    expect(walks).toHaveLength(5);
    const anchors = [...read('src/README.md').matchAll(/#(walk-[\w-]+)\)/g)].map(([, anchor]) => anchor);
    expect(steps.map(([title]) => anchorOf(title))).toEqual(expect.arrayContaining(anchors));
    expect(anchors).toHaveLength(5);
  });

  test.each(steps)('%s: each function is where the list says', (_title, places) => {
    expect(places.length).toBeGreaterThan(7);
    const missing = places.filter(({ name, path }) => {
      // Where it is declared: at the margin, or as a member; what ends with a semicolon is a call.
      const outer = `^(?:export )?(?:async |abstract )*(?:function|class|const|interface|type) ${name}\\b`;
      const member = `^ {2,4}(?:(?:async|get|protected|private|static|override|readonly) )*${name}(?:<[^>]*>)?(?:\\(| = \\()[^;]*$`;
      const defined = new RegExp(`${outer}|${member}`, 'm');
      return !existsSync(PACKAGE_ROOT + path) || !defined.test(read(path));
    });
    expect(missing).toEqual([]);
  });

  test.each(steps)('%s: it enters five wings at most', (_title, places) => {
    expect(new Set(places.map(({ path }) => path.split('/')[1])).size).toBeLessThanOrEqual(5);
  });
});

test('docs/coming-from-pipecat.md names, as ours, only frames, classes and functions that voicebot exports', () => {
  const ours = read('docs/coming-from-pipecat.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|'))
    .map(([, theirs = '', same = '']) =>
      same.startsWith(' the same') && theirs.includes('Frame`') ? theirs + same : same,
    )
    .join('\n');
  const names = [
    ...ours.matchAll(/(?:new |await |`)([A-Z]\w*[a-z]\w*|(?:parse|operator|define|energy|fvad|silero)[A-Z]\w*)/g),
  ].map(([, name = '']) => name);
  expect(names).toEqual(expect.arrayContaining(['TTSSpeakFrame', 'RoomsTransport', 'parseTelephonyWebSocket']));
  expect(names.filter((name) => !(name in { ...voicebot, ...pipeline, ...services }) && name !== 'Int16Array')).toEqual(
    [],
  );
});
