/**
 * Whose sound a participant of a room gets. What is more special wins: `byParticipantId`, then `byUserId`, then `base`.
 * @see rooms reference 7.1
 */
export interface RoomReception {
  /** Of all participants that are not named. */
  readonly base: boolean;
  /** By what a token, or the request that dialled, calls them: another participant may have the same after the first one. */
  readonly byUserId?: Readonly<Record<string, boolean>>;
  /** By session id. */
  readonly byParticipantId?: Readonly<Record<string, boolean>>;
}

/** Everybody is heard: as it is unless something else is said. */
export const EVERYBODY: RoomReception = { base: true, byUserId: {}, byParticipantId: {} };

/** As it is asked for: what was said before by user or by participant is over. */
export const wireReception = ({ base, byUserId = {}, byParticipantId = {} }: RoomReception) => ({
  base,
  byUserId: { ...byUserId },
  byParticipantId: { ...byParticipantId },
});

/** Only these participants are heard. @param sessionIds undefined: everybody */
export const receptionOf = (sessionIds: readonly string[] | undefined): RoomReception =>
  sessionIds
    ? { base: false, byParticipantId: Object.fromEntries(sessionIds.map((sessionId) => [sessionId, true])) }
    : EVERYBODY;
