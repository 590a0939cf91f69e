import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakePhone, FakeRoom } from 'voicebot/testing';
import bot from './bot.js';

for (const Phone of [FakePhone, FakeRoom]) {
  test(`${Phone.name}: says something, and hangs up`, async () => {
    await using phone = await Phone.call(bot);
    await phone.hears();
    const { reason, botError } = await phone.ended;
    assert.equal(botError, undefined);
    assert.equal(reason, 'bot_ended');
  });
}
