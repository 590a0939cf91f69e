const EACH_BIT = [0, 1, 2, 3, 4, 5, 6, 7];

/**
 * Every text that differs from `text` in one byte of its UTF-8, by one of its bits.
 * @param bitsOf which bits of the byte at an index are changed, each for itself; default all
 */
export function* oneByteOff(
  text: string,
  bitsOf: (at: number) => readonly number[] = () => EACH_BIT,
): Generator<string> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1) {
    for (const bit of bitsOf(at)) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      yield changed.toString('utf8');
    }
  }
}
