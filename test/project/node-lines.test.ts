import { nodeProblem, RECOMMENDED_MAJOR } from '../../src/base/process/node-lines.js';
import { NODE_NOTE } from '../../src/cli/init/project-readme.js';
import { read } from './repository.js';

const oldest: string = JSON.parse(read('package.json')).engines.node.replace('>=', '');

test.each(['README.md', 'AGENTS.md', 'docs/tutorial.md', 'docs/deployment.md'])(
  '%s names the oldest Node.js that works and the one to take',
  (page) => {
    expect(read(page)).toContain(oldest);
    expect(read(page)).toMatch(new RegExp(`Node\\.js(, best)? ${RECOMMENDED_MAJOR}\\b`));
  },
);

test('so do new projects, and who has a Node.js that is too old', () => {
  expect(NODE_NOTE).toBe(`Install Node.js ${RECOMMENDED_MAJOR}; ${oldest} or newer works.`);
  for (const file of ['bin/voicebot.js', 'scripts/setup.mjs']) {
    expect(read(file)).toContain(`or newer, best ${RECOMMENDED_MAJOR};`);
  }
});

test('CI runs the quick tests on every line that gets fixes, and README.md names them', () => {
  const [, lines = ''] = /^LINES=\(([\d ]+)\)/m.exec(read('.ci/run')) ?? [];
  const living = [...read('docs/deployment.md').matchAll(/^\| (\d+)\D* \| \d{4}-/gm)]
    .map(([, major]) => major)
    .reverse();
  expect(lines.split(' ')).toEqual(living);
  const others = living.filter((major) => major !== String(RECOMMENDED_MAJOR));
  expect(read('README.md')).toContain(`best ${RECOMMENDED_MAJOR}; ${others.join(' and ')} are tested as much`);
  for (const page of ['AGENTS.md', 'docs/contributing/README.md'])
    expect(read(page)).toContain(`${living.slice(0, -1).join(', ')} and ${living.at(-1)} too`);
});

test('images are made of it', () => {
  const images = [...read('templates/deployment/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(new Set(images)).toEqual(new Set([`node:${RECOMMENDED_MAJOR}-bookworm-slim`]));
});

test('the table of lines in docs/deployment.md is what versions are judged by', () => {
  const [, section = ''] = read('docs/deployment.md').split('## Node.js\n');
  const living = [...section.matchAll(/^\| (\d+)\D* \| (\d{4}-\d\d-\d\d) \| (\d+\.(\d+)\.(\d+)) \|$/gm)];
  expect(living).toHaveLength(3);
  for (const [, major, lastDay = '', fixed = '', minor, patch] of living) {
    expect(nodeProblem(fixed, new Date(lastDay))).toBeUndefined();
    expect(nodeProblem(`${major}.${minor}.${Number(patch) - 1}`, new Date(lastDay))?.message).toMatch(/lacks .* of/);
    expect(nodeProblem(fixed, new Date(Date.parse(lastDay) + 86_400_000))?.message).toMatch(/gets no .* any more/);
  }
  const over = /^\| ([\d, ]+) \| over \|/m.exec(section)?.[1]?.split(', ') ?? [];
  expect(over).toHaveLength(4);
  for (const major of over) expect(nodeProblem(`${major}.99.0`, new Date('2026-10-21'))).toBeDefined();
});
