/** What AGENTS.md tells those who work on voicebot: that it is there, by the names given. */
import { existsSync } from 'node:fs';
import { command } from '../cli/in-process.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { read } from './repository.js';

const page = read('AGENTS.md');
const [, ...blocks] = page.split(/```(?:sh)?\n/);
const lines = blocks.filter((_, index) => index % 2 === 0).flatMap((block) => block.split('\n'));

/** Made by a build, and in no clone before it. */
const GENERATED = ['dist', 'assets/runner.html', 'assets/call.html', 'assets/report.css', 'templates/demo/.bot.mjs'];

test('every file and folder that it names is there', () => {
  const named = [...page.matchAll(/`((?:\.?[\w-]+\/)*\.?[\w-]+(?:\.\w+)*)`/g)].map(([, path = '']) => path);
  const paths = [...named, ...lines.flatMap((line) => line.match(/\b(?:test|templates|bin|scripts)\/[\w./-]+/g) ?? [])];
  const inRepository = paths.filter(
    (path) => /[/]|^(src|dist|docs|test|templates)$|\.md$/.test(path) && !path.startsWith('/'),
  );
  expect(inRepository.length).toBeGreaterThan(25);
  const missing = inRepository.filter((path) => !GENERATED.includes(path) && !existsSync(PACKAGE_ROOT + path));
  expect(missing.filter((path) => !/^(voicebot\/(testing|embed)|test\/e2e\/missing-keys)$/.test(path))).toEqual([]);
});

test('every script that it runs is one of package.json', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const named = lines.flatMap((line) => line.match(/(?<=^npm run (?:--silent )?)[\w:]+/) ?? []);
  expect(named.length).toBeGreaterThanOrEqual(5);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('every command of voicebot that it runs takes the options given', async () => {
  const typed = lines.flatMap((line) => line.match(/(?<=^node bin\/voicebot\.js )[^#>]+/) ?? []);
  expect(typed.length).toBeGreaterThanOrEqual(3);
  for (const words of typed) {
    const [name = ''] = words.split(' ');
    const { stdout } = await command([name, '--help'], PACKAGE_ROOT).finished;
    for (const option of words.match(/--[\w-]+/g) ?? []) expect(stdout).toContain(`${option} `);
  }
});
