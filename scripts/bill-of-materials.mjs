// The software bill of materials (CycloneDX) of what is installed with voicebot and nothing optional, with the versions of the lock file. npm
// tells all that is installed here; this leaves what the dependencies lead to, and makes the same bytes of the same commit.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packagesInPages } from './third-party-licences.mjs';

const cwd = fileURLToPath(new URL('../', import.meta.url));
const run = (program, ...args) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28, shell: process.platform === 'win32' });

/** @param sha512 of the archive that is published, in hex @returns text of a JSON file */
export async function billOfMaterials(sha512) {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const all = JSON.parse(run('npm', 'sbom', '--sbom-format', 'cyclonedx'));
  const { component } = all.metadata;
  const needed = new Map(all.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const nameOf = (ref) => ref.slice(0, ref.lastIndexOf('@'));
  const inPages = await packagesInPages();
  const roots = needed
    .get(component['bom-ref'])
    .filter((ref) => nameOf(ref) in manifest.dependencies || inPages.includes(nameOf(ref)));
  const kept = new Set();
  const keep = (ref) => {
    if (kept.has(ref)) return;
    kept.add(ref);
    for (const next of needed.get(ref) ?? []) keep(next);
  };
  for (const ref of roots) keep(ref);
  const dependencies = all.dependencies.filter(({ ref }) => kept.has(ref));
  const bill = {
    ...all,
    metadata: {
      ...all.metadata,
      timestamp: new Date(run('git', 'log', '-1', '--format=%cI').trim()).toISOString(),
      component: { ...component, name: manifest.name, hashes: [{ alg: 'SHA-512', content: sha512 }] }, // npm gives it the name of the folder
    },
    components: all.components.filter((one) => kept.has(one['bom-ref'])),
    dependencies: [{ ref: component['bom-ref'], dependsOn: roots }, ...dependencies],
  };
  delete bill.serialNumber;
  const digits = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  // As RFC 9562 has it for numbers of one's own: version 8.
  const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
  return `${JSON.stringify({ ...bill, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`;
}
