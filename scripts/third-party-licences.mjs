// Writes THIRD-PARTY-LICENSES: the licence of each package whose code is inside ours, which are those packed with it and those that esbuild
// puts into the runner's pages, and of the data in assets that was made from the data of others. With --print it writes to standard output.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PAGE, PAGES, RUNNER_PAGE, RUNNER_PAGES } from './toolchain.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const json = (...path) => JSON.parse(read(...path));

/** What is under one of these may be used, changed and passed on, also in a product that is not open. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** A package whose archive has the text of this licence, for data that is under it. */
const APACHE_TEXT = ['node_modules', '@opentelemetry', 'api', 'LICENSE'];

const MIT_TEXT = (author) => `Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const DATA = {
  name: 'libphonenumber, its table of time zones, in assets/number-time-zones.txt',
  licence: 'Apache-2.0',
  text: () =>
    `Copyright (C) 2012 The Libphonenumber Authors\nWhat was changed stands at the beginning of the file.\n\n${read(...APACHE_TEXT).trim()}`,
};

/** Folders of packages, from the root, that `npm pack` puts into ours. */
const packedInside = () =>
  Object.entries(json('package-lock.json').packages).flatMap(([path, { inBundle }]) => (inBundle ? [path] : []));

/** Names of packages whose code is in the pages. */
export async function packagesInPages() {
  const pages = [
    [PAGE, PAGES],
    [RUNNER_PAGE, RUNNER_PAGES.map((path) => `page/${path}`)],
  ];
  const inputs = pages.map(async ([options, paths]) => {
    const entryPoints = paths.map((path) => join(root, 'src', path));
    const unused = { write: false, outdir: join(root, 'dist'), sourcemap: false, define: { PHONE_WORKLETS: '""' } };
    const { metafile } = await build({ ...options, ...unused, entryPoints, absWorkingDir: root, metafile: true });
    return Object.keys(metafile.inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  });
  return [...new Set((await Promise.all(inputs)).flat())];
}

/** The text in its file; a few packages have it in their README only, and one says no more than its name. */
function textIn(folder, { author, license }) {
  const file = readdirSync(join(root, folder)).find((name) => /^(licen[sc]e|copying)/i.test(name));
  if (file) return read(folder, file);
  const [, section] =
    /^#* *licen[sc]e\n(?:-+\n)?([\s\S]*?)(?=\n#|\n\[[^\]]+\]: |$(?![\s\S]))/im.exec(read(folder, 'README.md')) ?? [];
  if (section?.includes('WITHOUT WARRANTY')) return section.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  if (license === 'MIT') return MIT_TEXT(author?.name ?? author);
  throw new Error(`${folder} has no text of its licence.`);
}

function noticeOf(folder) {
  const manifest = json(folder, 'package.json');
  const { name, version, license } = manifest;
  return { name: `${name} ${version}`, licence: license, text: () => textIn(folder, manifest) };
}

/**
 * @param notices each with the name of a work, its licence and how its text is had
 * @throws Error naming all whose licence asks more of those who pass voicebot on than to keep its text
 */
export function licencesOf(notices) {
  const others = notices.filter(({ licence }) => !PERMISSIVE.includes(licence));
  if (others.length > 0)
    throw new Error(`No permissive licence: ${others.map(({ name, licence }) => `${name} (${licence})`).join(', ')}`);
  const sections = notices.map(({ name, licence, text }) => `${name}\nLicence: ${licence}\n\n${text().trim()}\n`);
  return [...new Set(sections)].join(`\n${'-'.repeat(80)}\n\n`);
}

const INTRODUCTION = `voicebot is under the licence in LICENSE. Its package also contains work of others: packages in node_modules, which the tunnel of
localtunnel is made with; code in assets/runner.html and assets/call.html; and data. Each is named here with its licence. The recorded
sentences in assets were spoken by the program espeak-ng, contain nothing of it, and are under voicebot's own licence.

This file is generated: npm run licences.
`;

export async function thirdPartyLicences() {
  const folders = [...packedInside(), ...(await packagesInPages()).map((name) => `node_modules/${name}`)];
  const notices = folders.map(noticeOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `${INTRODUCTION}\n${'-'.repeat(80)}\n\n${licencesOf([...notices, DATA])}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await thirdPartyLicences();
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(join(root, 'THIRD-PARTY-LICENSES'), text);
}
