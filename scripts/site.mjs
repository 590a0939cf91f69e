// Makes the site in build/site, of static files: a folder for each version with the pages of `docs`, the reference of the API and a call
// to play with, which is made now on the sandbox; `latest`, and the list of versions. It fails on a link or an anchor that leads nowhere,
// and on a page that would load something from elsewhere.
//
//   npm run site                             the version of package.json
//   npm run site -- --keep <folder>          beside it those of an older site: a folder with a versions.json
//   npm run site -- --as 0.2.0               under another name than that of package.json
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkSite } from './site/check-site.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SITE = join(ROOT, 'build', 'site');

const { values } = parseArgs({ options: { keep: { type: 'string' }, as: { type: 'string' } } });
const version = values.as ?? JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
const kept = values.keep === undefined ? undefined : resolve(values.keep);
const older = kept === undefined ? [] : JSON.parse(readFileSync(join(kept, 'versions.json'), 'utf8')).versions;
const versions = [version, ...older.filter((one) => one !== version)].sort((a, b) =>
  b.localeCompare(a, 'en', { numeric: true }),
);
if (![version, ...older].every((one) => /^\d[\w.-]*$/.test(one))) fail('a version is named as 1.2.3 is');
const [latest] = versions;

const draft = `${SITE}.new`;
rmSync(draft, { recursive: true, force: true });
mkdirSync(draft, { recursive: true });
for (const one of versions) if (one !== version) cpSync(join(kept, one), join(draft, one), { recursive: true });
node('the pages', 'scripts/api-docs/node_modules/typedoc/bin/typedoc', '--options', 'scripts/site/typedoc.json', '--out', join(draft, version));
node('the call', 'bin/voicebot.js', 'test', 'scripts/site/demo/call.yaml', '--output', join(draft, version, 'demo'));
cpSync(join(draft, latest), join(draft, 'latest'), { recursive: true });
writeFileSync(join(draft, 'versions.json'), `${JSON.stringify({ latest, versions })}\n`);
writeFileSync(join(draft, 'index.html'), leadsTo('latest/'));

const { problems, pages, links } = checkSite(draft);
if (problems.length > 0) fail(`the site is not whole:\n${problems.join('\n')}`);
rmSync(SITE, { recursive: true, force: true });
renameSync(draft, SITE);
console.log(`build/site: ${versions.join(', ')}; ${pages} pages, ${links} links and anchors, all of which lead somewhere`);

function node(what, ...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) fail(`${what} could not be made`);
}

function leadsTo(path) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${path}">
<title>voicebot</title>
<p><a href="${path}">voicebot</a></p>
</html>
`;
}

function fail(text) {
  if (existsSync(draft)) rmSync(draft, { recursive: true, force: true });
  console.error(text);
  process.exit(1);
}
