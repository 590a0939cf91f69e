/** Kinds of entries in the journal of a call's audio; see {@link CallTape}. */
export const TAPE_ENTRY = {
  received: 1,
  sent: 2,
  marked: 3,
  played: 4,
  cleared: 5,
  dropped: 6,
  streamOver: 7,
  paused: 8,
  resumed: 9,
} as const;

/** Kinds of entries in the journal of its events: a line, and that another process that adds to the file has ended, nobody knows how. */
export const EVENT_ENTRY = { line: 1, otherIsGone: 2 } as const;
