/** The real runner on the sandbox's rooms. Argument: its options as JSON. */

import { randomBytes } from 'node:crypto';
import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';
import { botIsReady } from '../processes/bot-is-ready.js';
import { commonNow } from '../processes/clock.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';
import { startRunner } from '../processes/start-runner.js';
import { type RoomsRunnerOptions, roomsKey } from './account.js';
import type { Told } from './told.js';

const [options = ''] = process.argv.slice(2);
const { daily } = await dist<typeof import('../../src/providers/daily/provider.js')>('providers/daily/provider.js');
const { pointSandboxNumber } =
  await dist<typeof import('../../src/assembly/sandbox-number.js')>('assembly/sandbox-number.js');
const { Browser } = await dist<typeof import('../../src/providers/daily/client/browser.js')>(
  'providers/daily/client/browser.js',
);
const {
  botFile,
  network,
  callsPerProcess,
  client = 'built-in',
  botEnvironment = {},
} = JSON.parse(options) as RoomsRunnerOptions;

const told: Told[] = [];
const starting = start();

async function start(): ReturnType<typeof startRunner> {
  const credentials = { apiKey: roomsKey, apiUrl: network.roomsApiUrl };
  const webhookSecret = randomBytes(32).toString('base64');
  const started = await startRunner({
    botFile,
    provider: { kind: 'rooms', provider: daily, credentials, webhookSecret, browser: browserFor(client) },
    callsPerProcess,
    botEnvironment: { ...botEnvironment, ROOMS_CLIENT: client },
  });
  const { runner } = started;
  runner.on('bot_output', (line) => {
    if (line.startsWith('{"call"')) told.push(JSON.parse(line) as Told);
    else console.error(line);
  });
  const { dialinUrl } = runner.addresses;
  const urls = { answerUrl: dialinUrl, hangupUrl: dialinUrl };
  await pointSandboxNumber({ kind: 'rooms', roomProvider: daily, credentials }, network.number, urls, webhookSecret);
  return started;
}

function browserFor(client: RoomsClient): InstanceType<typeof Browser> | undefined {
  const { PATH = '', HOME = '', VOICEBOT_BROWSER: program } = process.env;
  return client === 'browser' ? new Browser({ environment: { PATH, HOME }, program }) : undefined;
}

const questions = {
  /** Resolves when a bot waits for the next call. */
  async ready(): Promise<void> {
    await botIsReady((await starting).runner.url);
  },
  /** Kills the process of the bot that told last. @returns when, on the clock that all processes have in common, in milliseconds */
  kill(): number {
    const bot = told.at(-1);
    if (!bot) throw new Error('no bot has told anything');
    process.kill(bot.pid, 'SIGKILL');
    return commonNow();
  },
  /** What bots have told since the last time. */
  told: (): Told[] => told.splice(0),
};
export type RoomsRunner = typeof questions;

answer(questions, async () => (await starting).stop());
