import { decodeMulaw } from '../../src/audio/mulaw.js';
import { ScriptedPhone } from '../../src/sandbox/network/scripted-phones.js';
import { SandboxSpeech } from '../../src/sandbox/network/speech.js';

/** A minute. */
const MOST_PIECES = 3_000;

/** Tells when it has spoken, since a voice takes longer than the silence that is read meanwhile. */
class AwaitedSpeech extends SandboxSpeech {
  spoken: Promise<unknown> | undefined;

  override speak(...words: Parameters<SandboxSpeech['speak']>): Promise<Uint8Array | undefined> {
    const audio = super.speak(...words);
    this.spoken = audio;
    return audio;
  }
}

/** What the sandbox's voicemail says in the first minute from its answer on, 20 ms at a time, with whichever voice there is. */
export async function* sandboxVoicemail(): AsyncGenerator<Int16Array> {
  const speech = new AwaitedSpeech();
  const over = new AbortController();
  const handle = { signal: over.signal, wait: () => new Promise<void>(() => {}), press: () => {}, hangUp: () => {} };
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
      await speech.spoken;
    }
  } finally {
    over.abort();
  }
}
