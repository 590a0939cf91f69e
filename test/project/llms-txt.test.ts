import { execFileSync } from 'node:child_process';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { read } from './repository.js';

test('llms.txt is what npm run llms makes of docs/README.md', () => {
  const made = execFileSync(process.execPath, [`${PACKAGE_ROOT}scripts/llms-txt.mjs`, '--print'], { encoding: 'utf8' });
  expect(read('llms.txt')).toBe(made);
});

test('it has the form of llmstxt.org: a title, a summary, and sections of links with a line each', () => {
  const [title, summary, , ...sections] = read('llms.txt').trimEnd().split('\n\n');
  expect(title).toBe('# voicebot');
  expect(summary).toMatch(/^> [^\n]+\.$/);
  const headings = sections.filter((part) => part.startsWith('## '));
  expect(headings).toHaveLength(sections.length / 2);
  expect(headings.at(-1)).toBe('## Optional');
  const links = sections.filter((part) => !part.startsWith('## ')).flatMap((part) => part.split('\n'));
  expect(links.length).toBeGreaterThan(25);
  expect(links.filter((link) => !/^- \[[^\]]+\]\([\w/-]+\.md\): \S.*[^.]$/.test(link))).toEqual([]);
});
