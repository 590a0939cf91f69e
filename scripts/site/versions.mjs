import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = /^\d[\w.-]*$/;

/**
 * Makes of one version the site of all: beside it those of an older site, `latest`, the list of versions and the page that leads there.
 * @param folder has the folder of `version`
 * @param kept an older site; undefined: there is none
 * @returns all versions, the newest first
 */
export function putTogether(folder, version, kept) {
  const older = kept === undefined ? [] : versionsOf(kept);
  for (const one of older) if (one !== version) cpSync(join(kept, one), join(folder, one), { recursive: true });
  const versions = [...new Set([version, ...older])].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const [latest] = versions;
  cpSync(join(folder, latest), join(folder, 'latest'), { recursive: true });
  writeFileSync(join(folder, 'versions.json'), `${JSON.stringify({ latest, versions })}\n`);
  writeFileSync(join(folder, 'index.html'), leadsTo('latest/index.html'));
  return versions;
}

/** @throws Error for a folder that is no site, or has not all that it lists */
function versionsOf(site) {
  const list = join(site, 'versions.json');
  if (!existsSync(list)) throw new Error(`${site} has no versions.json: it is no site that was made here`);
  const { versions } = JSON.parse(readFileSync(list, 'utf8'));
  const wrong = versions.filter((one) => !VERSION.test(one) || !existsSync(join(site, one)));
  if (wrong.length > 0) throw new Error(`${site} has no folder of version ${wrong.join(', ')}`);
  return versions;
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
