import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compareTour } from '../../../src/cli/certify/compare-tour.js';
import { CertifyFolder } from '../../../src/lab/certify/certify-folder.js';
import { readReference } from '../../../src/lab/certify/reference.js';

/** Folders of `voicebot certify` that were sent to us, by provider: what was seen of real and foreign ones. */
const CERTIFIED = fileURLToPath(new URL('../../certified/', import.meta.url));
const folders = readdirSync(CERTIFIED, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(`${CERTIFIED}${name}`).map((tour) => `${name}/${tour}`));

test.each(folders)('the sandbox differs from %s in what is known, and in nothing else', (path) => {
  const folder = CertifyFolder.open(`${CERTIFIED}${path}`);
  const known = folder.certificate();
  const now = compareTour(folder, readReference(folder.provider), known.isSandbox);
  // Where the sandbox was mended, `npx voicebot certify --compare` shows what is left: keep that in its certificate.
  expect(now.differences.map(({ restsOn, ...told }) => told)).toEqual(
    known.differences.map(({ restsOn, ...told }) => told),
  );
});
