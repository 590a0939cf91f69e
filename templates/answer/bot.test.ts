import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buzz, FakeCartesia, FakeDeepgram, FakeLanguageModel, FakePhone, FakeRoom } from 'voicebot/testing';

/** Servers that simulate the providers: the test needs no keys and no internet. */
const deepgram = await FakeDeepgram.start({ texts: () => ['When are you open on Saturday?', 'Thank you, goodbye.'] });
const replies = [
  { toolCalls: [{ name: 'opening_hours', input: { day: 'Saturday' } }] },
  { text: 'We open at eight on Saturday.' },
  { toolCalls: [{ name: 'end_call', input: {} }] },
];
const model = await FakeLanguageModel.start({ replies: [...replies, ...replies] });
const cartesia = await FakeCartesia.start({ characterMs: 15 });
Object.assign(process.env, {
  DEEPGRAM_API_KEY: 'test',
  DEEPGRAM_BASE_URL: deepgram.url,
  OPENAI_API_KEY: 'test',
  OPENAI_BASE_URL: model.url,
  CARTESIA_API_KEY: 'test',
  CARTESIA_BASE_URL: cartesia.url,
});
const { default: bot } = await import('./bot.js'); // now: keys and addresses are read when it is loaded
after(async () => {
  for (const provider of [deepgram, model, cartesia]) await provider[Symbol.asyncDispose]();
});

for (const [call, Phone] of [FakePhone, FakeRoom].entries()) {
  test(`${Phone.name}: tells when the bakery is open, and ends the call`, async () => {
    await using phone = await Phone.call(bot);
    await phone.hears(); // the greeting
    await phone.hearsSilence({ forMs: 1_000 });
    phone.say(buzz(1_500, 8_000)); // FakeDeepgram decides which words this is
    const { messages } = await model.request(call * replies.length + 1); // after the function was called
    assert.equal(messages.at(-1)?.text, 'eight to one');
    await phone.hears();
    await phone.hearsSilence({ forMs: 1_000 });
    phone.say(buzz(1_500, 8_000));
    const { reason, botError } = await phone.ended;
    assert.equal(botError, undefined);
    assert.equal(reason, 'bot_ended');
    const spoken = cartesia.requests.map(({ text }) => text).join(' ');
    assert.match(spoken, /Bluebird Bakery.+open at eight.+Goodbye!/s);
  });
}
