import { decodeMulaw } from '../../src/audio/mulaw.js';
import { Speech } from '../../src/sandbox/speech.js';

const speech = new Speech();

/** What espeak-ng says, as it comes from the network: 8000 Hz, through mu-law. @param language such as `en-US` */
export async function spoken(text: string, language = 'en-US'): Promise<Int16Array> {
  const audio = await speech.speak(text, language, new AbortController().signal);
  if (!audio) throw new Error('espeak-ng did not speak');
  return decodeMulaw(audio);
}
