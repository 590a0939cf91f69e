import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buzz, FakeCartesia, FakeDeepgram, FakeLanguageModel, FakePhone, FakeRoom } from 'voicebot/testing';

/** Servers that simulate the providers: the test needs no keys and no internet. */
const deepgram = await FakeDeepgram.start({ texts: () => ['I want a person.'] });
const replies = [{ toolCalls: [{ name: 'transfer_call', input: {} }] }, { text: 'I connect you with a colleague.' }];
const model = await FakeLanguageModel.start({ replies: [...replies, ...replies] });
const cartesia = await FakeCartesia.start({ characterMs: 15 });
Object.assign(process.env, {
  DEEPGRAM_API_KEY: 'test',
  DEEPGRAM_BASE_URL: deepgram.url,
  OPENAI_API_KEY: 'test',
  OPENAI_BASE_URL: model.url,
  CARTESIA_API_KEY: 'test',
  CARTESIA_BASE_URL: cartesia.url,
  OPERATOR_NUMBER: '+12025550101',
});
const { default: bot } = await import('./bot.js'); // now: keys and addresses are read when it is loaded
after(async () => {
  for (const provider of [deepgram, model, cartesia]) await provider[Symbol.asyncDispose]();
});

for (const Phone of [FakePhone, FakeRoom]) {
  test(`${Phone.name}: tells the caller, transfers, and leaves the call when a colleague answers`, async () => {
    const asked: string[] = [];
    const transfer = (to: string) => {
      asked.push(to);
      return 'answered' as const;
    };
    await using phone = await Phone.call(bot, { transfer });
    await phone.hears(); // the greeting
    await phone.hearsSilence({ forMs: 1_000 });
    phone.say(buzz(1_500, 8_000)); // FakeDeepgram decides which words this is
    await phone.hears();
    await phone.hearsSilence({ forMs: 2_500 }); // the colleague says nothing
    phone.hangUp();
    const { reason, botError } = await phone.ended;
    assert.equal(botError, undefined);
    assert.equal(reason, 'transferred');
    assert.deepEqual(asked, ['+12025550101']);
  });
}
