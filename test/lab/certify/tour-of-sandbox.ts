import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseCertifyRequest } from '../../../src/cli/certify/certify-request.js';
import { runCertify } from '../../../src/cli/certify/run-certify.js';
import type { Certificate } from '../../../src/lab/certify/certificate.js';
import { CertifyFolder } from '../../../src/lab/certify/certify-folder.js';
import { SCRIPTED_NUMBERS, ScriptedPhones } from '../../../src/lab/certify/tour/scripted-phones.js';
import type { TourPhones } from '../../../src/lab/certify/tour/tour-phone.js';
import { faceOf, type SandboxCarrier } from '../../../src/sandbox/faces.js';
import { newAccount } from '../../../src/sandbox/new-account.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js';
import { EXIT } from '../../../src/terminal/exit-codes.js';
import { Output } from '../../../src/terminal/output.js';
import { freePort } from '../../free-port.js';
import { PHONE_TOKEN } from '../../sandbox/fake-caller.js';
import { type Deviation, DifferingProvider } from './differing-provider.js';

/** A provider that does not do what a step waits for makes it fail; a test does not wait as long as a person. */
const PATIENCE_MS = 20_000;
const ROOMS_KEY = 'key-of-the-rooms';

/** An account on a sandbox, for requests of its owner. */
export interface AccountAt {
  readonly apiUrl: string;
  readonly authId: string;
  /** The token, or the key. */
  readonly key: string;
  /** The number that a carrier's sandbox has set up, E.164. */
  readonly number: string;
}

/** Who takes the account through the tour, and how it was before. */
export interface TourOfSandbox {
  /** Sets the number up. @returns the number that the tour takes, E.164 */
  readonly before?: (account: AccountAt) => Promise<string>;
  readonly phonesOf?: (sandbox: SandboxLine, patienceMs: number) => TourPhones;
}

export type SandboxLine = Pick<Sandbox, 'url'> & { readonly phoneToken: string };

/**
 * Takes a sandbox, as an account that deviates, through steps of a tour, of which none may be named.
 * @param provider one of rooms deviates in nothing
 * @param look is shown the folder before it is removed
 */
export async function tourOfSandbox(
  provider: SandboxCarrier | 'daily',
  only: readonly string[],
  deviation: Deviation = {},
  look: (folder: CertifyFolder) => void = () => {},
  { before, phonesOf = (...line) => new ScriptedPhones(...line) }: TourOfSandbox = {},
): Promise<Certificate> {
  const work = mkdtempSync(join(tmpdir(), 'voicebot-certify-'));
  const carrier = provider === 'daily' ? 'plivo' : provider;
  const account = newAccount(carrier);
  const rooms = provider === 'daily' ? { rooms: { apiKey: ROOMS_KEY } } : {};
  const sandbox = await startSandbox({ carrier, ...account, phoneToken: PHONE_TOKEN, ...rooms });
  const port = await freePort();
  const face = await faceOf(carrier, { ...account, answerUrl: '', hangupUrl: '' });
  const sign = face.signatureOf.bind(face);
  const front = `http://127.0.0.1:${port}`;
  const between = await DifferingProvider.between(sandbox.url, front, sign, deviation);
  try {
    const { authId, authToken, publicKey } = account;
    const apiUrl = provider === 'daily' ? sandbox.roomsApiUrl : sandbox.apiUrl;
    const key = provider === 'daily' ? ROOMS_KEY : authToken;
    const number = (await before?.({ apiUrl, authId, key, number: sandbox.number })) ?? sandbox.number;
    const ofCarrier = {
      CARRIER: carrier,
      CARRIER_AUTH_ID: authId,
      CARRIER_AUTH_TOKEN: authToken,
      ...(publicKey && { CARRIER_PUBLIC_KEY: publicKey }),
      CARRIER_API_URL: between.via(sandbox.apiUrl),
      CARRIER_PHONE_NUMBER: number,
    };
    const ofRooms = {
      VOICEBOT_TRANSPORT: 'rooms',
      ROOMS_API_KEY: ROOMS_KEY,
      ROOMS_API_URL: sandbox.roomsApiUrl,
      ROOMS_PHONE_NUMBER: number,
    };
    const environment = {
      PATH: process.env.PATH,
      VOICEBOT_HOME: join(work, 'home'),
      ...(provider === 'daily' ? ofRooms : ofCarrier),
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
    const publicUrl = provider === 'daily' ? front : between.publicUrl;
    const steps = request.steps.filter(({ name }) => only.includes(name));
    const asked = { ...request, steps, config: { ...request.config, publicUrl } };
    const phones = phonesOf({ url: sandbox.url, phoneToken: PHONE_TOKEN }, PATIENCE_MS);
    await runCertify(asked, context, new Output({ json: true, ...streams }), {
      phonesOf: () => phones,
      isNumberOnly: only.length === 0,
    }).catch((error) => {
      if (error.exitCode !== EXIT.callFailed && error.code !== 'VB_REGISTRATION_FAILED') throw error;
    });
    const folder = CertifyFolder.open(output);
    look(folder);
    return folder.certificate();
  } finally {
    await between[Symbol.asyncDispose]();
    await sandbox.close();
    rmSync(work, { recursive: true, force: true });
  }
}
