/** The real runner, whose bots place calls beside theirs. Arguments: the bot, how many calls a process of it serves, and the carrier's API. */
import { plivoAccount } from '../processes/account.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';
import { startRunner } from '../processes/start-runner.js';

const [botFile = '', callsPerProcess = '1', apiUrl = ''] = process.argv.slice(2);
const { carrierByName } = await dist<typeof import('../../src/providers/registry/carriers.js')>(
  'providers/registry/carriers.js',
);
const { FIRST_NUMBER } =
  await dist<typeof import('../../src/sandbox/network/numbers.js')>('sandbox/network/numbers.js');
const { carrier, authId, authToken } = plivoAccount;

/** An hour, and some minutes around it. */
const LONGEST_S = 4_000;

const starting = startRunner({
  botFile,
  provider: {
    kind: 'carrier',
    carrier: carrierByName(carrier),
    credentials: { authId, authToken, apiUrl },
    machineDetection: 'off',
  },
  phoneNumber: FIRST_NUMBER,
  dialCountries: ['US'],
  dialLimits: { perMinute: 1_000_000, atOnce: 1_000, secondsPerNumber: 0 },
  dialMaxSeconds: LONGEST_S,
  maxCallSeconds: LONGEST_S,
  silenceSeconds: 180,
  callsPerProcess: Number(callsPerProcess),
  recording: 'never',
  botEnvironment: { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken, CARRIER_API_URL: apiUrl },
});

/** What bots have told, one line of JSON each. */
const told: unknown[] = [];
void starting.then(({ runner }) => {
  runner.on('problem', (message, error) => console.error(message, error ?? ''));
  runner.on('bot_output', (line) => {
    if (line.startsWith('{')) told.push(JSON.parse(line));
    else console.error(line);
  });
});

const questions = {
  async url(): Promise<string> {
    return (await starting).runner.url;
  },
  /** @returns all that bots have told since the last time */
  told: (): unknown[] => told.splice(0),
};
export type HandoverRunner = typeof questions;

answer(questions, async () => (await starting).stop());
