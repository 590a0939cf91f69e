// Writes the `overrides` of package.json into the packages that are packed with ours. The npm of a project that has voicebot does not
// read our overrides, and its `npm ci` refuses a package inside voicebot that is not of the version which its neighbour asks for.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const read = (url) => JSON.parse(readFileSync(url, 'utf8'));
const root = new URL('../', import.meta.url);
const { bundleDependencies, overrides } = read(new URL('package.json', root));
for (const name of bundleDependencies) {
  const file = new URL(`node_modules/${name}/package.json`, root);
  if (!existsSync(file)) continue;
  const manifest = read(file);
  Object.assign(manifest.dependencies, overrides[name]);
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
