import { packageVersion } from '../../base/package-version.js';
import { type Certificate, isCertified } from '../../lab/certify/certificate.js';
import { CertifyFolder } from '../../lab/certify/certify-folder.js';
import { differencesIn, readReference, type WireReference } from '../../lab/certify/reference.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { TourReport } from './tour-report.js';

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

/**
 * Compares an earlier tour with this version, and makes no call.
 * @param path absolute, of its folder
 * @throws VoicebotError VB_CONFIG_INVALID; ReportedError when its provider is not certified
 */
export function compareAgain(path: string, output: Output): void {
  const folder = CertifyFolder.open(path);
  const { isSandbox, day } = folder.certificate();
  const certificate = { ...compareTour(folder, readReference(folder.provider), isSandbox), day };
  const hint = 'Each difference names the code that rests on it.';
  new TourReport(output).certified(certificate, path, isCertified(certificate) ? undefined : hint);
  throwUnlessCertified(certificate, hint);
}

/** @param hint what to do then. @throws ReportedError */
export function throwUnlessCertified(certificate: Certificate, hint: string): void {
  if (isCertified(certificate)) return;
  throw new ReportedError(EXIT.callFailed, 'the provider is not certified', { code: 'VB_CALL_FAILED', hint });
}
