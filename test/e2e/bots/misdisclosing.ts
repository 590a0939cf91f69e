import { defineBot, flite } from 'voicebot';

const LONG = 'word '.repeat(70);

/** Its sentences cannot be said as they are. */
export default defineBot({
  tts: flite(),
  disclosure: { text: { en: ' ', fr: LONG, de: 'Hier spricht eine Maschine.' }, when: 'always' },
  record: { notice: LONG },
  onCall: () => {},
});
