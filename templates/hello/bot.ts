import { defineBot, flite } from 'voicebot';

/** What callers hear: any English text. Change it, and call again. */
const TEXT = 'Hello! This is a telephone bot of your own. Change what it says in the file bot dot T S. Goodbye!';

export default defineBot({
  tts: flite(),

  async onCall(call) {
    await call.say(TEXT);
  },
});
