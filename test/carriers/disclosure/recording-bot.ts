import { defineBot, flite } from 'voicebot';

/** Says that it is a machine and that it records; understands words that are told to it, and what its caller objects with. */
export default defineBot({
  tts: flite(),
  disclosure: { text: 'You are talking to a machine.', when: 'always' },
  record: { notice: 'This call is recorded.', objectKey: '9' },
  async onCall(call) {
    console.error(JSON.stringify({ event: 'goes_on', id: call.id, attempt: call.attempt }));
    call.on('dtmf', ({ digit }) => console.error(JSON.stringify({ event: 'key', id: call.id, digit })));
    await call.say('The secret word is bluebird.');
    await call.listen({ keys: 4, timeoutMs: 3_000 });
    await call.hangUp();
  },
});
