import { decodeMulaw } from '../../src/audio/mulaw.js';
import { ScriptedPhone } from '../../src/sandbox/network/scripted-phones.js';
import { SandboxSpeech } from '../../src/sandbox/network/speech.js';

/** What the sandbox's voicemail says from its answer on, 20 ms at a time; for as long as it is read. */
export async function* sandboxVoicemail(): AsyncGenerator<Int16Array> {
  const over = new AbortController();
  const handle = { signal: over.signal, wait: () => new Promise<void>(() => {}), press: () => {}, hangUp: () => {} };
  const phone = new ScriptedPhone('+12025550105', {
    isTransferTarget: false,
    overhear: undefined,
    speech: new SandboxSpeech(),
    onError: () => {},
  });
  void phone.ring(handle);
  phone.notify({ type: 'answered' });
  try {
    for (;;) {
      let said = new Uint8Array();
      phone.exchange(new Uint8Array(160).fill(0xff), (bytes) => {
        said = Uint8Array.from(bytes);
      });
      yield decodeMulaw(said);
      await new Promise(setImmediate);
    }
  } finally {
    over.abort();
  }
}
