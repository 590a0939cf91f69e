import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseCertifyRequest } from '../../../src/cli/certify/certify-request.js';
import { runCertify } from '../../../src/cli/certify/run-certify.js';
import { Output } from '../../../src/terminal/output.js';
import { tourOfSandbox } from './tour-of-sandbox.js';

const STEP = 'bot-hangs-up';

test('a tour of an account keeps its certificate in the state directory', async () => {
  let kept: unknown;
  const certificate = await tourOfSandbox('plivo', [STEP], {}, ({ path }) => {
    const folder = join(path, '..', 'home', 'certified');
    kept = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  });
  expect(certificate.steps).toContainEqual({ name: STEP, state: 'done' });
  expect(kept).toEqual([certificate]);
}, 120_000);

test('a rehearsal on the sandbox keeps none', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-rehearsal-'));
  try {
    const environment = { PATH: process.env.PATH, VOICEBOT_HOME: directory };
    const streams = { stdout: new PassThrough().resume(), stderr: new PassThrough().resume() };
    const context = { ...streams, readStdin: async () => '', environment, directory, nodeVersion: '99.0.0' };
    const output = join(directory, 'tour');
    const request = await parseCertifyRequest({ sandbox: true, only: [STEP], output, port: 0 }, context);
    await runCertify(request, context, new Output({ json: true, ...streams }));
    expect(existsSync(join(output, 'certificate.json'))).toBe(true);
    expect(existsSync(join(directory, 'certified'))).toBe(false);
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 120_000);
