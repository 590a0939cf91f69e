import { spawnSync } from 'node:child_process';
import { defineBot, espeak } from 'voicebot';

/** What callers hear. Change it, and call again. */
const TEXT = 'Hello! This is a telephone bot of your own. Change what it says in the file bot dot T S. Goodbye!';

/** The espeak-ng program of this machine speaks it, with no key: `sudo apt install espeak-ng`, or `brew install espeak-ng`. */
const hasVoice = spawnSync('espeak-ng', ['--version']).status === 0;

export default defineBot({
  tts: hasVoice ? espeak() : undefined,

  async onCall(call) {
    if (hasVoice) {
      await call.say(TEXT);
      return;
    }
    console.log('espeak-ng is not installed, so callers hear a recording instead of your text');
    await call.play(new URL('./recorded.wav', import.meta.url));
  },
});
