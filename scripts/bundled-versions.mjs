// Writes the `overrides` of package.json into the packages that are packed with ours. Nobody else's npm reads our overrides, and `npm ci`
// of a project that has voicebot refuses a package inside it that is not of the version which its neighbour asks for.
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
