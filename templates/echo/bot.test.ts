import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buzz, FakePhone, FakeRoom } from 'voicebot/testing';
import bot from './bot.js';

for (const Phone of [FakePhone, FakeRoom]) {
  test(`${Phone.name}: says back what it hears, and leaves when the caller hangs up`, async () => {
    await using phone = await Phone.call(bot);
    phone.say(buzz(1_000, 8_000)); // a tone will do
    await phone.hears();
    await phone.hearsSilence();
    phone.hangUp();
    const { reason, botError } = await phone.ended;
    assert.equal(botError, undefined);
    assert.equal(reason, 'caller_hung_up');
  });
}
