/**
 * Differences between carriers and software versions on the real wire that clients must tolerate. The serial number of a
 * call alone decides which of them the call shows, so a failure can be repeated.
 * @see carrier reference 5.2, 5.8 and 9
 */
export interface Quirks {
  readonly firstSequenceNumber: 0 | 1;
  /** Numbers of stream messages travel as strings. */
  readonly numbersAsStrings: boolean;
  /** Messages carry keys that no carrier documents. */
  readonly extraKeys: boolean;
  /** An event that no carrier documents follows `start`. */
  readonly unknownEvent: boolean;
  /** Acknowledgements repeat the sequence number before them. */
  readonly repeatedAckNumbers: boolean;
  /** Audio messages arrive in pairs that are swapped, at carriers that promise no order. */
  readonly swappedFrames: boolean;
  /** The hangup webhook comes twice. */
  readonly duplicateHangup: boolean;
}

/** @param callNumber counts the network's calls from 1; the first call shows no quirk */
export function quirksOf(callNumber: number): Quirks {
  return {
    firstSequenceNumber: callNumber % 2 === 0 ? 0 : 1,
    numbersAsStrings: callNumber % 3 === 0,
    extraKeys: callNumber % 4 === 0,
    unknownEvent: callNumber % 5 === 0,
    repeatedAckNumbers: callNumber % 2 === 0,
    swappedFrames: callNumber % 7 === 2,
    duplicateHangup: callNumber % 3 === 2,
  };
}
