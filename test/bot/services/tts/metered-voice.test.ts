import { meteredVoice } from '../../../../src/bot/services/tts/metered-voice.js';
import type { SpeechListener, Voice } from '../../../../src/bot/services/tts/voice.js';
import type { UnitCounts } from '../../../../src/call/usage.js';

const nothing: SpeechListener = { audio() {}, words() {}, said() {}, repeats() {}, done() {}, failed() {} };

/** A voice whose sound the test makes. */
function rig(isCharged?: boolean) {
  let heard = nothing;
  const said: string[] = [];
  const told: UnitCounts[] = [];
  const voice: Voice = {
    sampleRate: 8_000,
    warmUp() {},
    close() {},
    speak: (listener) => {
      heard = listener;
      return { say: (text) => said.push(text), end() {}, cancel() {} };
    },
  };
  const source = { provider: 'Cartesia', model: 'sonic', isCharged };
  const metered = meteredVoice(voice, source, { used: (units) => told.push(units) });
  return { metered, said, told, sound: () => heard };
}

test('characters count when they are given to the vendor, and sound when it has come', () => {
  const { metered, said, told, sound } = rig();
  const speech = metered.speak(nothing);
  speech.say('Grüße! ');
  speech.say('👋');
  sound().audio(new Int16Array(4_000));
  sound().audio(new Int16Array(4_000));
  sound().done();
  expect(said).toEqual(['Grüße! ', '👋']);
  expect(told).toEqual([{ character: 7 }, { character: 1 }, { second: 1 }]);
});

test('what was interrupted counts as far as it was made, once', () => {
  const { metered, told, sound } = rig();
  const speech = metered.speak(nothing);
  speech.say('Hello');
  sound().audio(new Int16Array(800));
  speech.cancel();
  speech.cancel();
  expect(told).toEqual([{ character: 5 }, { second: 0.1 }]);
});

test('a voice of this machine costs nothing', () => {
  const { metered, told } = rig(false);
  metered.speak(nothing).say('Hello');
  expect(told).toEqual([]);
});
