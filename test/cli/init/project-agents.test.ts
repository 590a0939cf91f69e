import { existsSync } from 'node:fs';
import { makeProject, type ProjectOptions } from '../../../src/cli/init/project.js';
import { TEMPLATE_NAMES } from '../../../src/cli/init/templates.js';
import { command } from '../in-process.js';
import { PACKAGE_ROOT } from '../voicebot.js';

function projectOf(options: Partial<ProjectOptions>) {
  const project = {
    directory: '/somewhere/my-bot',
    template: 'hello',
    packageRoot: PACKAGE_ROOT,
    docker: false,
  } as const;
  const { files } = makeProject({ ...project, ...options });
  const agents = files.find(({ path }) => path === 'AGENTS.md')?.content;
  return { paths: files.map(({ path }) => path), agents: String(agents) };
}

test.each(TEMPLATE_NAMES)(
  '%s: AGENTS.md names files that the project has, and pages that the package has',
  (template) => {
    const { paths, agents } = projectOf({ template });
    const [, table = ''] = agents.split('| File | What it is |');
    const named = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name);
    expect(named).toContain('bot.ts');
    expect(named.filter((name) => !paths.some((path) => path === name || path.startsWith(name)))).toEqual([]);
    const pages = [...agents.matchAll(/^\| `([\w-]+\.md)` \|/gm)].map(([, page]) => page);
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.filter((page) => !existsSync(`${PACKAGE_ROOT}docs/${page}`))).toEqual([]);
  },
);

test.each(TEMPLATE_NAMES)('%s: its commands are there, with the options it gives them', async (template) => {
  const { agents } = projectOf({ template });
  const helpOf = async (words: string[]) => (await command([...words, '--help'], PACKAGE_ROOT).finished).stdout;
  const commands = [...(await helpOf([])).matchAll(/^ {2}(\w\S*)/gm)].map(([, name]) => name);
  const typed = [...agents.matchAll(/^(?:npx |node_modules\/\.bin\/)voicebot ([^#\n]+)/gm)].map(
    ([, words = '']) => words,
  );
  expect(typed.length).toBeGreaterThan(6);
  for (const words of typed) {
    const [name = ''] = words.split(' ');
    expect(commands).toContain(name);
    for (const option of words.match(/--[\w-]+/g) ?? []) expect(await helpOf([name])).toContain(`${option} `);
  }
});

test('what it says follows from the template: keys, the way of calls, and who calls whom', () => {
  const hello = projectOf({ template: 'hello' }).agents;
  expect(hello).toContain('It needs no keys.');
  expect(hello).toContain('npx voicebot call --say');
  expect(hello).not.toContain('--stand-ins');
  const dial = projectOf({ template: 'dial', transport: 'rooms' }).agents;
  expect(dial).toContain('needs the keys that `.env.example` names');
  expect(dial).toContain('run --sandbox --stand-ins');
  expect(dial).toContain('npx voicebot dialout');
  expect(dial).toContain('which `voicebot.config.json` sets');
  expect(dial).not.toContain('npx voicebot call ');
});

test('it names the files for containers where they are', () => {
  expect(projectOf({ docker: true }).agents).toContain('| `Dockerfile` |');
  expect(projectOf({}).agents).not.toContain('Dockerfile');
});
