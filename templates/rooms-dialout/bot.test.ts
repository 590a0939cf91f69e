import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RoomsRunnerArguments } from 'voicebot';
import { FakePhone } from 'voicebot/testing';

/** The bot is loaded only when its keys are set. The tests send nothing to the providers. */
Object.assign(process.env, { DEEPGRAM_API_KEY: 'test', OPENAI_API_KEY: 'test', CARTESIA_API_KEY: 'test' });
const { bot } = await import('./bot.js'); // now: keys are read when it is loaded

// voicebot/testing simulates telephones of a carrier, not media rooms, so these tests show only that the bot loads and what it
// refuses. To hear the bot talk, with real keys and no account: npx voicebot run --transport rooms --sandbox

test('refuses a call that comes from a carrier', async () => {
  await using phone = await FakePhone.call(bot);
  const { botError } = await phone.ended;
  assert.match(String(botError), /run this bot with --transport rooms/);
});

const args: RoomsRunnerArguments = {
  transport: 'rooms',
  room_url: 'https://example.invalid/room',
  token: 'test',
  call: { id: 'test', direction: 'outbound', from: '+12025550100', to: '+12025550199', attempt: 1 },
  signal: AbortSignal.timeout(10_000),
};

test('calls nobody without a number', async () => {
  await assert.rejects(bot(args), /voicebot dialout <number>/);
});

test('refuses custom data that it does not understand, before it joins a room', async () => {
  const body = { user: { firstName: 7 } };
  await assert.rejects(bot({ ...args, phone_number: '+12025550199', body }), /firstName/);
});
