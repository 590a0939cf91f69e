import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakePhone } from 'voicebot/testing';
import bot from './bot.js';

test('greets, and says goodbye when 9 is pressed', async () => {
  await using phone = await FakePhone.call(bot);
  await phone.hears();
  phone.press('9'); // every key interrupts the bot
  const { reason, botError } = await phone.ended;
  assert.equal(botError, undefined);
  assert.equal(reason, 'bot_ended');
});

test('connects the caller with the operator when 0 is pressed', async () => {
  process.env.OPERATOR_NUMBER = '+12025550101';
  const asked: string[] = [];
  const transfer = (to: string) => {
    asked.push(to);
    return 'answered' as const;
  };
  await using phone = await FakePhone.call(bot, { transfer });
  await phone.hears();
  phone.press('0');
  await phone.hearsSilence({ forMs: 1_500 }); // the operator says nothing
  assert.deepEqual(asked, ['+12025550101']);
  phone.hangUp();
  const { reason, botError } = await phone.ended;
  assert.equal(botError, undefined);
  assert.equal(reason, 'transferred');
});
