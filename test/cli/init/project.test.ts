import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { makeProject } from '../../../src/cli/init/project.js';
import { TEMPLATE_NAMES, type TemplateName } from '../../../src/cli/init/templates.js';
import { PACKAGE_ROOT } from '../voicebot.js';

/** The files of a new project, as text. */
function filesOf(template: TemplateName, docker = false): Record<string, string> {
  const { files } = makeProject({ directory: '/somewhere/my-bot', template, packageRoot: PACKAGE_ROOT, docker });
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}

const parse = (files: Record<string, string>, path: string) => JSON.parse(files[path] ?? '');

test.each(TEMPLATE_NAMES)(
  '%s: a project that strict TypeScript checks, and whose scripts run what is there',
  (name) => {
    const files = filesOf(name);
    expect(parse(files, 'tsconfig.json').compilerOptions).toMatchObject({
      strict: true,
      module: 'nodenext',
      noEmit: true,
    });
    const { scripts } = parse(files, 'package.json');
    expect(scripts.check).toBe('tsc');
    expect(scripts.test).toBe('voicebot test');
    expect(Object.keys(files)).toContainEqual(expect.stringMatching(/^scenarios\/.+\.yaml$/));
    expect(files['bot.ts']).not.toMatch(/from '\.\.\/\.\./);
  },
);

test('keys, packages and what runs leave stay out of its repository', () => {
  const ignored = filesOf('echo')['.gitignore']?.split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['node_modules/', '.env', '.env.local', '.voicebot/']));
  expect(ignored).toEqual(expect.arrayContaining(['certify-*/', '/*.wav']));
});

test('the container runs the bot as a user without rights, and looks whether it is healthy', () => {
  const dockerfile = filesOf('echo', true).Dockerfile;
  expect(dockerfile).toMatch(/^USER \S+$/m);
  const commands = [...(dockerfile ?? '').matchAll(/(?<=^ *CMD )\[.*\]$/gm)].map(([list]) => JSON.parse(list));
  expect(commands).toHaveLength(2);
  expect(commands[0]?.join(' ')).toContain('/ready');
  expect(commands[1]).toEqual(expect.arrayContaining(['run', 'bot.ts', '--dialin']));
});

test('its workflow for GitHub is that of docs/testing.md, and keeps the pages also of a test that fails', () => {
  const workflow = filesOf('hello')['.github/workflows/test.yml'] ?? '';
  const [, shown] = /^```yml\n([\s\S]*?)^```$/m.exec(readFileSync(`${PACKAGE_ROOT}docs/testing.md`, 'utf8')) ?? [];
  expect(workflow).toBe(shown);
  const { steps } = parseYaml(workflow).jobs.test;
  const kept = steps.find(({ uses }: { uses?: string }) => uses?.startsWith('actions/upload-artifact@'));
  expect(kept).toMatchObject({ if: 'always()', with: { path: 'test-results' } });
  expect(steps.map(({ run }: { run?: string }) => run)).toContain('npx voicebot test --output test-results');
});
