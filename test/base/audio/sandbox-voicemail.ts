import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { ScriptedPhone } from '../../../src/sandbox/network/scripted-phones.js';
import { SandboxSpeech, type TextSpeaker } from '../../../src/sandbox/network/speech.js';

/** A minute. */
const MOST_PIECES = 3_000;

/** What the sandbox's voicemail says in the first minute from its answer on, 20 ms at a time, with whichever voice there is. */
export async function* sandboxVoicemail(): AsyncGenerator<Int16Array> {
  const voice = new SandboxSpeech();
  // The time of the call waits for the voice.
  let spoken: Promise<unknown> | undefined;
  const speech: TextSpeaker = {
    speak: (...words) => {
      const audio = voice.speak(...words);
      spoken = audio;
      return audio;
    },
  };
  const over = new AbortController();
  const handle = {
    signal: over.signal,
    wait: () => new Promise<void>(() => {}),
    press: () => {},
    spoke: () => {},
    hangUp: () => {},
  };
  const phone = new ScriptedPhone('+12025550105', {
    isTransferTarget: false,
    overhear: undefined,
    speech,
    onError: () => {},
  });
  void phone.ring(handle);
  phone.notify({ type: 'answered' });
  try {
    for (let piece = 0; piece < MOST_PIECES; piece += 1) {
      let said = new Uint8Array();
      phone.exchange(new Uint8Array(160).fill(0xff), (bytes) => {
        said = Uint8Array.from(bytes);
      });
      yield decodeMulaw(said);
      await new Promise(setImmediate);
      await spoken;
    }
  } finally {
    over.abort();
  }
}
