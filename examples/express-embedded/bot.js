import { defineBot, flite } from 'voicebot';

export default defineBot({
  tts: flite(),

  async onCall(call) {
    if (call.direction === 'outbound') {
      await call.say(`Hello ${call.body.name ?? 'there'}, this is Bluebird Bakery. Your order is ready. Goodbye.`);
      return;
    }
    await call.say('This is Bluebird Bakery. Press one to hear our opening hours.');
    const heard = await call.listen({ keys: 1 });
    await call.say(heard?.keys === '1' ? 'We are open from seven to six. Goodbye.' : 'Goodbye.');
  },
});
