/** The real runner with its limits out of the way; counts what the carrier left uncertain. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Carrier } from '../../src/providers/carrier.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';
import type { Account } from './phone-network.js';

const [botFile = '', account = ''] = process.argv.slice(2);
const { Runner } = await dist<typeof import('../../src/runner/runner.js')>('runner/runner.js');
const { plivo } = await dist<typeof import('../../src/providers/plivo/provider.js')>('providers/plivo/provider.js');
const { silentLogger } = await dist<typeof import('../../src/base/logger.js')>('base/logger.js');
const { PATH = '', HOME = '' } = process.env;

const { credentials, phoneNumber } = JSON.parse(account) as Account;
const stateDirectory = await mkdtemp(join(tmpdir(), 'voicebot-bench-'));
let uncertain = 0;

const carrier: Carrier = {
  ...plivo,
  async createRestClient(account) {
    const client = await plivo.createRestClient(account);
    const placeCall = client.placeCall.bind(client);
    client.placeCall = (request, signal) =>
      placeCall(request, signal).catch((error: { code?: string }) => {
        if (error.code === 'VB_CALL_UNCERTAIN') uncertain += 1;
        throw error;
      });
    return client;
  },
};

const runner = new Runner({
  botFile,
  host: '127.0.0.1',
  port: 0,
  provider: { kind: 'carrier', carrier, credentials, machineDetection: 'off' },
  token: 'bench-runner-token',
  insecureWebhooks: false,
  phoneNumber,
  dialCountries: ['US'],
  dialLimits: { perMinute: 1_000_000, atOnce: 1_000, secondsPerNumber: 60 },
  dialMaxSeconds: 60,
  ringSeconds: 30,
  maxCallSeconds: 60,
  silenceSeconds: 0,
  stateDirectory,
  callsPerProcess: 50,
  warm: 1,
  botMemoryBytes: 0,
  drainMs: 0,
  processEnvironment: { PATH, HOME },
  botEnvironment: {
    CARRIER_AUTH_ID: credentials.authId,
    CARRIER_AUTH_TOKEN: credentials.authToken,
    CARRIER_API_URL: credentials.apiUrl,
  },
  logger: silentLogger,
});
runner.on('bot_output', (line) => console.error(line));
runner.on('problem', (message) => console.error(message));
const started = runner.start();

const questions = {
  async url(): Promise<string> {
    await started;
    return runner.url;
  },
  /** Requests for a call of which the carrier did not say whether it took them. */
  uncertain: () => uncertain,
};
export type DialingRunner = typeof questions;

answer(questions, async () => {
  const stopped = runner.stop();
  await runner.stop(); // once more: at once
  await stopped;
  await rm(stateDirectory, { recursive: true, force: true });
});
