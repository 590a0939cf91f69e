import fc from 'fast-check';
import { PcmCodec } from '../../../../src/base/audio/line/pcm-codec.js';
import { readAudioMessage, writeAudioMessage } from '../../../../src/providers/daily/client/audio-message.js';

test('what is written can be read, wherever it stands in memory', () => {
  const samples = fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 320, maxLength: 320 });
  const word = fc.nat(2 ** 32 - 1);
  fc.assert(
    fc.property(samples, word, word, fc.nat(16), (pcm, sequence, timestamp, offset) => {
      const codec = new PcmCodec(16_000);
      const bytes = writeAudioMessage({ sequence, timestamp, payload: codec.encode(Int16Array.from(pcm)) });
      const arrived = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset);
      const message = readAudioMessage(arrived, 16_000);
      expect(message).toMatchObject({ sequence, timestamp });
      expect([...codec.decode(message?.payload as Uint8Array)]).toEqual(pcm);
    }),
  );
});

test.each([0, 1, 7, 8, 647, 649, 328])('%i bytes are refused: they are not 20 ms at 16 000 Hz', (length) => {
  expect(readAudioMessage(new Uint8Array(length), 16_000)).toBeUndefined();
});
