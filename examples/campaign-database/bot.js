import { defineBot, flite } from 'voicebot';

export default defineBot({
  tts: flite(),

  async onCall(call) {
    await call.say(`Hello ${call.body.name}, this is a machine of Bluebird Bakery. Your order is ready. Goodbye.`);
  },
});
