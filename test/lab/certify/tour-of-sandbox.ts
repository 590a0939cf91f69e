import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseCertifyRequest } from '../../../src/cli/certify/certify-request.js';
import { runCertify } from '../../../src/cli/certify/run-certify.js';
import type { Certificate } from '../../../src/lab/certify/certificate.js';
import { CertifyFolder } from '../../../src/lab/certify/certify-folder.js';
import { SCRIPTED_NUMBERS, ScriptedPhones } from '../../../src/lab/certify/tour/scripted-phones.js';
import { faceOf, type SandboxCarrier } from '../../../src/sandbox/faces.js';
import { newAccount } from '../../../src/sandbox/new-account.js';
import { startSandbox } from '../../../src/sandbox/sandbox.js';
import { EXIT } from '../../../src/terminal/exit-codes.js';
import { Output } from '../../../src/terminal/output.js';
import { freePort } from '../../free-port.js';
import { PHONE_TOKEN } from '../../sandbox/fake-caller.js';
import { type Deviation, DifferingProvider } from './differing-provider.js';

/** A provider that does not do what a step waits for makes it fail; a test does not wait as long as a person. */
const PATIENCE_MS = 20_000;

/** Takes a sandbox, as an account that deviates, through steps of a tour. @param look is shown the folder before it is removed */
export async function tourOfSandbox(
  carrier: SandboxCarrier,
  only: readonly string[],
  deviation: Deviation = {},
  look: (folder: CertifyFolder) => void = () => {},
): Promise<Certificate> {
  const work = mkdtempSync(join(tmpdir(), 'voicebot-certify-'));
  const account = newAccount(carrier);
  const sandbox = await startSandbox({ carrier, ...account, phoneToken: PHONE_TOKEN });
  const port = await freePort();
  const face = await faceOf(carrier, { ...account, answerUrl: '', hangupUrl: '' });
  const sign = face.signatureOf.bind(face);
  const provider = await DifferingProvider.between(sandbox.url, `http://127.0.0.1:${port}`, sign, deviation);
  try {
    const { authId, authToken, publicKey } = account;
    const environment = {
      PATH: process.env.PATH,
      VOICEBOT_HOME: join(work, 'home'),
      CARRIER: carrier,
      CARRIER_AUTH_ID: authId,
      CARRIER_AUTH_TOKEN: authToken,
      ...(publicKey && { CARRIER_PUBLIC_KEY: publicKey }),
      CARRIER_API_URL: provider.via(sandbox.apiUrl),
      CARRIER_PHONE_NUMBER: sandbox.number,
    };
    const streams = { stdout: new PassThrough().resume(), stderr: new PassThrough().resume() };
    const context = { ...streams, readStdin: async () => '', environment, directory: work, nodeVersion: '99.0.0' };
    const output = join(work, 'tour');
    const numbers = {
      myNumber: SCRIPTED_NUMBERS.caller,
      colleague: SCRIPTED_NUMBERS.colleague,
      wrongNumber: '+12025550110',
    };
    const request = await parseCertifyRequest({ ...numbers, only, output, port, yes: true }, context);
    const config = { ...request.config, publicUrl: provider.publicUrl };
    const phonesOf = () => new ScriptedPhones({ url: sandbox.url, phoneToken: PHONE_TOKEN }, PATIENCE_MS);
    await runCertify({ ...request, config }, context, new Output({ json: true, ...streams }), { phonesOf }).catch(
      (error) => {
        if (error.exitCode !== EXIT.callFailed && error.code !== 'VB_REGISTRATION_FAILED') throw error;
      },
    );
    const folder = CertifyFolder.open(output);
    look(folder);
    return folder.certificate();
  } finally {
    await provider[Symbol.asyncDispose]();
    await sandbox.close();
    rmSync(work, { recursive: true, force: true });
  }
}
