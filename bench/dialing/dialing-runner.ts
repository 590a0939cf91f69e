/** The real runner with its limits out of the way; counts what the carrier left uncertain. */
import type { Carrier, CarrierCredentials } from '../../src/providers/carrier.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';
import { startRunner } from '../processes/start-runner.js';

/** What it may dial with. */
export interface DialingAccount {
  readonly credentials: CarrierCredentials;
  readonly phoneNumber: string;
}

const [botFile = '', account = ''] = process.argv.slice(2);
const { plivo } = await dist<typeof import('../../src/providers/plivo/provider.js')>('providers/plivo/provider.js');
const { credentials, phoneNumber } = JSON.parse(account) as DialingAccount;
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

const starting = startRunner({
  botFile,
  provider: { kind: 'carrier', carrier, credentials, machineDetection: 'off' },
  phoneNumber,
  dialCountries: ['US'],
  dialLimits: { perMinute: 1_000_000, atOnce: 1_000, secondsPerNumber: 60 },
  dialMaxSeconds: 60,
  ringSeconds: 30,
  maxCallSeconds: 60,
  callsPerProcess: 50,
  botEnvironment: {
    CARRIER_AUTH_ID: credentials.authId,
    CARRIER_AUTH_TOKEN: credentials.authToken,
    CARRIER_API_URL: credentials.apiUrl,
  },
});
void starting.then(({ runner }) => {
  runner.on('bot_output', (line) => console.error(line));
  runner.on('problem', (message) => console.error(message));
});

const questions = {
  async url(): Promise<string> {
    return (await starting).runner.url;
  },
  /** Requests for a call of which the carrier did not say whether it took them. */
  uncertain: () => uncertain,
};
export type DialingRunner = typeof questions;

answer(questions, async () => (await starting).stop());
