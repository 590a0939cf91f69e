import { packageVersion } from '../../base/package-version.js';
import type { Certificate } from '../../lab/certify/certificate.js';
import type { CertifyFolder } from '../../lab/certify/certify-folder.js';
import { differencesIn, type WireReference } from '../../lab/certify/reference.js';

/** What a tour has come to: its steps in their order, and in what its provider was not as the sandbox has it. */
export function compareTour(folder: CertifyFolder, reference: WireReference, isSandbox: boolean): Certificate {
  const { provider, steps } = folder;
  const differences = steps.flatMap((step) => differencesIn(step, folder.items(step.name), reference));
  return {
    version: 1,
    voicebot: packageVersion(),
    provider,
    isSandbox,
    day: new Date().toISOString(),
    steps,
    differences,
  };
}
