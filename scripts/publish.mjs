// Packs voicebot, writes its bill of materials beside the archive, and gives the archive to npm's registry, with a proof of where it was made
// (provenance). The workflow of GitHub that may do that runs this; with --dry-run it does the same everywhere, but gives nothing away.
//
//   node scripts/publish.mjs [--dry-run] [--out <folder>]     the folder is build/publish unless told otherwise
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The first that exchanges the proof of a workflow for the right to publish. */
const OLDEST_NPM = '11.5.1';
const isOlder = (version, than) => version.localeCompare(than, 'en', { numeric: true }) < 0;

const root = fileURLToPath(new URL('../', import.meta.url));
const npm = (args, options) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32', ...options });

/** Pre-releases are installed by those only who ask for them: `npm install voicebot@next`. */
export const tagFor = (version) => (version.includes('-') ? 'next' : 'latest');

/**
 * Why this must not be published from here; of a dry run, whether GitHub runs it for another repository.
 * @param found the variables that GitHub sets, npm's version, and what differs from the commit
 */
export function problemsOf({ name, version, repository }, { environment, npmVersion, changed, isDryRun }) {
  const { GITHUB_REPOSITORY, GITHUB_REF_TYPE, GITHUB_REF_NAME } = environment;
  const isOnGitHub = GITHUB_REPOSITORY !== undefined;
  const problems = [];
  if (!isOnGitHub && !isDryRun)
    problems.push('only the workflow publish.yml on GitHub publishes: elsewhere add --dry-run');
  const own = repository.url.replace(/^.*github\.com\/|\.git$/g, '');
  // The registry refuses the proof of another repository than the one that the package names.
  if (isOnGitHub && GITHUB_REPOSITORY.toLowerCase() !== own.toLowerCase())
    problems.push(
      `this runs in ${GITHUB_REPOSITORY}, and package.json names ${own} as its repository: change it there`,
    );
  if (isOnGitHub && !isDryRun && (GITHUB_REF_TYPE !== 'tag' || GITHUB_REF_NAME !== `v${version}`))
    problems.push(
      `${name} ${version} is published from the tag v${version}, not from ${GITHUB_REF_TYPE} ${GITHUB_REF_NAME}`,
    );
  if (!isDryRun && isOlder(npmVersion, OLDEST_NPM)) problems.push(`npm is ${npmVersion}, and ${OLDEST_NPM} is needed`);
  if (!isDryRun && changed !== '') problems.push(`files differ from the commit:\n${changed}`);
  return problems;
}

/** @returns the archive: its path, sizes in bytes, number of files, and SHA-512 in hex */
function pack(folder) {
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder]));
  const path = join(folder, packed.filename);
  const sha512 = createHash('sha512').update(readFileSync(path)).digest('hex');
  return { path, sha512, size: packed.size, unpackedSize: packed.unpackedSize, entryCount: packed.entryCount };
}

const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(2)} MiB`;

async function publish() {
  const options = { 'dry-run': { type: 'boolean', default: false }, out: { type: 'string', default: 'build/publish' } };
  const { 'dry-run': isDryRun, out } = parseArgs({ options }).values;
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name, version } = manifest;
  const problems = problemsOf(manifest, {
    environment: process.env,
    npmVersion: npm(['--version']).trim(),
    changed: execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trimEnd(),
    isDryRun,
  });
  if (problems.length > 0 && !isDryRun) throw new Error(`Nothing is published: ${problems.join('; ')}`);
  for (const problem of problems) console.error(`From here nothing would be published: ${problem}`);

  const folder = resolve(root, out);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder).filter((file) => file.startsWith(`${name}-`))) rmSync(join(folder, file));
  const { path, sha512, size, unpackedSize, entryCount } = pack(folder);
  console.log(`${path}: ${mebibytes(size)}, unpacked ${mebibytes(unpackedSize)}, ${entryCount} files`);
  console.log(`sha512 ${sha512}`);
  // What packing has installed is there only now.
  const { billOfMaterials } = await import('./bill-of-materials.mjs');
  const bill = join(folder, `${name}-${version}.cdx.json`);
  writeFileSync(bill, await billOfMaterials(sha512));
  console.log(bill);
  const words = ['publish', path, '--access', 'public', '--provenance', '--tag', tagFor(version), '--loglevel=warn'];
  npm([...words, ...(isDryRun ? ['--dry-run'] : [])], { stdio: 'inherit' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  publish().catch(({ message }) => {
    console.error(message);
    process.exitCode = 1;
  });
}
