// Makes ready what `npm pack` takes, so that it is the same in every clone. npm runs this after each installation here, and before it packs.
//
// - The packages that are packed with ours get the `overrides` of package.json written into them. The npm of a project that has voicebot does
//   not read our overrides, and its `npm ci` refuses a package inside voicebot that is not of the version which its neighbour asks for.
// - They lose what no program loads. npm packs a part of it or not, depending on how old its own notes on the installation are.
// - Every file gets the mode that it has with the usual umask, since an archive keeps modes.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const at = (...path) => join(root, ...path);
const read = (...path) => JSON.parse(readFileSync(at(...path), 'utf8'));
const { bundleDependencies, files, overrides } = read('package.json');
const isThere = (path) => existsSync(at(path));
const packages = Object.entries(read('package-lock.json').packages)
  .flatMap(([path, { inBundle }]) => (inBundle ? [path] : []))
  .filter(isThere);
const UNUSED = /^(\..*|test|changelog.*|history.*|migration.*|.*\.map|.*\.spec\.js)$/i;

for (const path of bundleDependencies.map((name) => `node_modules/${name}`).filter(isThere)) {
  const manifest = read(path, 'package.json');
  Object.assign(manifest.dependencies, overrides[manifest.name]);
  writeFileSync(at(path, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
for (const path of packages) removeUnused(path);
const own = files.filter((path) => !path.startsWith('!'));
for (const path of ['package.json', 'README.md', 'LICENSE', ...own, ...packages].filter(isThere)) setModes(path);

/** In and below a folder, but for the packages in it. */
function removeUnused(folder) {
  for (const entry of readdirSync(at(folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (UNUSED.test(entry.name)) rmSync(at(path), { recursive: true });
    else if (entry.isDirectory() && entry.name !== 'node_modules') removeUnused(path);
  }
}

function setModes(path) {
  const stat = statSync(at(path));
  if (!stat.isDirectory()) chmodSync(at(path), stat.mode & 0o100 ? 0o755 : 0o644);
  else for (const name of readdirSync(at(path))) setModes(join(path, name));
}
