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

test('refuses what is no dial-in request, before it joins a room', async () => {
  const args: RoomsRunnerArguments = {
    transport: 'rooms',
    room_url: 'https://example.invalid/room',
    token: 'test',
    body: { dialin_settings: { call_id: 'no domain' } },
    call: { id: 'test', direction: 'inbound', from: '+12025550199', to: '+12025550100', attempt: 1 },
    signal: AbortSignal.timeout(10_000),
  };
  await assert.rejects(bot(args), { code: 'VB_REQUEST_INVALID' });
});
