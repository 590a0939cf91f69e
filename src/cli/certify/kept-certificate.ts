import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '../../assembly/account.js';
import { providerOf } from '../../assembly/account.js';
import { fingerprintOf } from '../../base/secret.js';
import { type Certificate, mergedWith } from '../../lab/certify/certificate.js';
import { replaceFile } from '../../runner/numbers/durable-file.js';

/**
 * Tells accounts apart in folders that are made to be sent to others: without the key in this state directory it tells nothing. 16 letters,
 * digits, "-" and "_".
 */
export function accountMark(stateDirectory: string, account: Account): string {
  return createHmac('sha256', keyIn(stateDirectory)).update(identityOf(account)).digest('base64url').slice(0, 16);
}

/** Made when it is first needed. */
function keyIn(stateDirectory: string): Buffer {
  const path = join(stateDirectory, 'certify-key');
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, randomBytes(32), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path);
}

const identityOf = (account: Account): string =>
  `${account.kind === 'carrier' ? account.credentials.authId : account.credentials.apiKey}\n${account.credentials.apiUrl}`;

/**
 * Where what the tours of an account have come to is kept; its name tells nothing of the account.
 * @param stateDirectory its own folder in it is `certified`
 */
function pathOf(stateDirectory: string, account: Account): string {
  return join(stateDirectory, 'certified', `${providerOf(account)}-${fingerprintOf(identityOf(account))}.json`);
}

/**
 * Keeps what a tour of this account has come to, for the doctor: steps that its last run has not played stay as an earlier tour of this version
 * left them.
 * @param played names of the steps of that run. Default: all
 */
export function keepCertificate(
  stateDirectory: string,
  account: Account,
  certificate: Certificate,
  played: readonly string[] = certificate.steps.map(({ name }) => name),
): void {
  const path = pathOf(stateDirectory, account);
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  const before = keptCertificate(stateDirectory, account);
  replaceFile(path, `${JSON.stringify(before ? mergedWith(before, certificate, played) : certificate, null, 2)}\n`);
}

/** That of the account's tours; undefined where none is kept, or one of another version of the file. */
export function keptCertificate(stateDirectory: string, account: Account): Certificate | undefined {
  try {
    const kept: Partial<Certificate> = Object(JSON.parse(readFileSync(pathOf(stateDirectory, account), 'utf8')));
    const isWhole = kept.version === 1 && Array.isArray(kept.steps) && Array.isArray(kept.differences);
    return isWhole ? (kept as Certificate) : undefined;
  } catch {
    return undefined; // a tour is made again, a file of it is not repaired
  }
}
