// Makes the site in build/site, of static files: a folder for each version with the pages of `docs`, the reference of the API and a call
// to play with, which is made now on the sandbox; `latest`, and the list of versions. It fails on a link or an anchor that leads nowhere,
// and on a page that would load something from elsewhere.
//
//   npm run site                             the version of package.json
//   npm run site -- --keep <folder>          beside it those of an older site, build/site of another time
//   npm run site -- --as 0.2.0               under another name than that of package.json
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkSite } from './site/check-site.mjs';
import { readLlms, writeLlms } from './site/llms-of-site.mjs';
import { putTogether } from './site/versions.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SITE = join(ROOT, 'build', 'site');
const DRAFT = `${SITE}.new`;

const { values } = parseArgs({ options: { keep: { type: 'string' }, as: { type: 'string' } } });
const version = values.as ?? JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

try {
  rmSync(DRAFT, { recursive: true, force: true });
  mkdirSync(DRAFT, { recursive: true });
  const typedoc = 'scripts/api-docs/node_modules/typedoc/bin/typedoc';
  node('the pages', typedoc, '--options', 'scripts/site/typedoc.json', '--out', join(DRAFT, version));
  writeLlms(join(DRAFT, version), readLlms(ROOT));
  node('the call', 'bin/voicebot.js', 'test', 'scripts/site/demo', '--output', join(DRAFT, version, 'demo'));
  const versions = putTogether(DRAFT, version, values.keep);
  const { problems, pages, links } = checkSite(DRAFT);
  if (problems.length > 0) throw new Error(`the site is not whole:\n${problems.join('\n')}`);
  rmSync(SITE, { recursive: true, force: true });
  renameSync(DRAFT, SITE);
  console.log(
    `build/site: ${versions.join(', ')}; ${pages} pages, ${links} links and anchors, all of which lead somewhere`,
  );
} catch (error) {
  rmSync(DRAFT, { recursive: true, force: true });
  console.error(error.message);
  process.exitCode = 1;
}

function node(what, ...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${what} could not be made: see above`);
}
