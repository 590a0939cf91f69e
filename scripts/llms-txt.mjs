// Writes llms.txt, the list of the documentation for language models (https://llmstxt.org), from docs/README.md, which has a line
// for each page. With --print it writes to standard output instead.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path) => readFileSync(`${root}${path}`, 'utf8');

/** The pages that are not needed to write and run a bot: models leave this section out where there is little room. */
const OPTIONAL = 'About voicebot itself';

const NOTES = `Paths are relative to this file: in a project, to \`node_modules/voicebot/\`. Everything works without an account and without keys:
\`npx voicebot run\` serves a bot on an offline phone network, \`npx voicebot call\` calls it. With \`--json\` every command writes events, and
a failure has a code, what to do, and the command to type next.`;

/** A group of the list: \`To run it:\`, an empty line, and a line for each page, which may go on in the next one. */
function groupsOf(list) {
  return [...list.matchAll(/^(\S[^\n]*):\n\n((?:- .+\n(?: {2}.+\n)*)+)/gm)].map(([, heading, lines]) => ({
    heading: heading === OPTIONAL ? 'Optional' : heading,
    links: lines
      .replaceAll(/\n {2}/g, ' ')
      .split('\n')
      .filter((line) => /^- \[[^\]]+\]\([^)]+\.md\): ./.test(line))
      .map((line) => line.replace(/(?<=\]\()[^)]+/, (path) => posix.join('docs', path))),
  }));
}

function llmsTxt() {
  const readme = read('README.md');
  const [title, summary] = readme.split('\n\n');
  const groups = groupsOf(read('docs/README.md'));
  const text = groups.map(({ heading, links }) => `## ${heading}\n\n${links.join('\n')}\n`).join('\n');
  const pages = readdirSync(`${root}docs`, { recursive: true }).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  const missing = pages.filter((name) => !text.includes(`](docs/${name.replaceAll('\\', '/')})`));
  if (missing.length > 0)
    throw new Error(`docs/README.md has no line for ${missing.map((name) => `docs/${name}`).join(', ')}`);
  return `${title}\n\n> ${summary.replaceAll('\n', ' ')}\n\n${NOTES}\n\n${text}`;
}

if (process.argv.includes('--print')) process.stdout.write(llmsTxt());
else writeFileSync(`${root}llms.txt`, llmsTxt());
