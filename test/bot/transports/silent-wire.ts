import { CARRIER_PACE } from '../../../src/bot/transports/playout-wire.js';
import type { SpeechWire } from '../../../src/bot/transports/speech-wire.js';

/** A carrier at 8000 Hz that takes everything and acknowledges nothing; a test puts in what it looks at. */
export const SILENT_WIRE: SpeechWire = {
  pace: { ...CARRIER_PACE, acknowledges: false },
  pressesKeys: true,
  sampleRate: () => 8_000,
  isOpen: () => true,
  isCongested: () => false,
  sendAudio() {},
  sendMark() {},
  sendClear() {},
  sendDtmf() {},
};
