import type { DailyParticipant, DailyParticipantsObject, DailyTrackState } from '@daily-co/daily-js';
import type { WireParticipant } from '../../../providers/rooms/client-messages.js';

const NO_TRACK: DailyTrackState = { subscribed: false, state: 'off' };

/**
 * Who is in the room, as the provider's client shows it.
 *
 * A room of the sandbox mixes what the others say into one track, where the provider has one for each of them. So that no participant is
 * heard twice, the participant who is here the longest carries that track, and all the others have theirs off; when that one leaves,
 * the next one carries it.
 */
export class People {
  #local: DailyParticipant | undefined;
  #heard: MediaStreamTrack | undefined;
  readonly #others = new Map<string, DailyParticipant>();

  /** All participants by session id, ourselves as `local`; none before we are in the room. */
  get all(): DailyParticipantsObject {
    const others = Object.fromEntries(this.#others);
    // The library's type has no word for a meeting that has not been joined, where it gives an empty object as well.
    return this.#local ? { ...others, local: this.#local } : ({} as DailyParticipantsObject);
  }

  get local(): DailyParticipant | undefined {
    return this.#local;
  }

  /**
   * We are in the room, which does not tell whether we are an owner: we are shown as none.
   * @param heard what all the others say
   * @param said what we say
   */
  enter(sessionId: string, userName: string, heard: MediaStreamTrack, said: MediaStreamTrack | undefined): void {
    const self: WireParticipant = {
      session_id: sessionId,
      user_name: userName,
      owner: false,
      participantType: 'unknown',
    };
    this.#local = { ...participantOf(self, said), local: true };
    this.#heard = heard;
  }

  /** When this is the first one, no participant carries the track yet: see {@link pass}. */
  come(participant: WireParticipant): DailyParticipant {
    const shown = participantOf(participant, undefined);
    this.#others.set(shown.session_id, shown);
    return shown;
  }

  /** A participant is shown as it is now. @returns undefined for an unknown session id */
  change(participant: WireParticipant): DailyParticipant | undefined {
    const { permissions } = participantOf(participant, undefined);
    if (this.#local?.session_id === participant.session_id) {
      this.#local = { ...this.#local, permissions };
      return this.#local;
    }
    const shown = this.#others.get(participant.session_id);
    if (!shown) return undefined;
    const changed = { ...shown, permissions };
    this.#others.set(changed.session_id, changed);
    return changed;
  }

  /** @returns the one who has gone; undefined for an unknown session id */
  go(sessionId: string): DailyParticipant | undefined {
    const gone = this.#others.get(sessionId);
    this.#others.delete(sessionId);
    return gone;
  }

  /** Gives the track to whom it belongs to. @returns who has it only now, if anybody */
  pass(): DailyParticipant | undefined {
    const [first] = this.#others.values();
    if (!first || !this.#heard || trackOf(first)) return undefined;
    const carrier = withAudio(first, this.#heard);
    this.#others.set(carrier.session_id, carrier); // stays in its place
    return carrier;
  }

  clear(): void {
    this.#local = undefined;
    this.#heard = undefined;
    this.#others.clear();
  }
}

/** The track that a participant can be heard on. */
export const trackOf = ({ tracks }: DailyParticipant): MediaStreamTrack | undefined => tracks.audio.track;

function participantOf(wire: WireParticipant, track: MediaStreamTrack | undefined): DailyParticipant {
  const { session_id, user_id = session_id, user_name, owner, participantType } = wire;
  // As the room has them, where the library has sets in place of lists.
  const permissions = wire.permissions as DailyParticipant['permissions'] | undefined;
  const silent: DailyParticipant = {
    session_id,
    user_id,
    user_name,
    owner,
    participantType,
    local: false,
    audio: false,
    video: false,
    screen: false,
    record: false,
    tracks: { audio: NO_TRACK, video: NO_TRACK, screenAudio: NO_TRACK, screenVideo: NO_TRACK },
    joined_at: new Date(),
    will_eject_at: new Date(0), // never
    permissions: permissions ?? { hasPresence: true, canSend: true, canReceive: { base: true }, canAdmin: owner },
    cam_info: {},
    screen_info: {},
  };
  return track ? withAudio(silent, track) : silent;
}

function withAudio(participant: DailyParticipant, track: MediaStreamTrack): DailyParticipant {
  const audio: DailyTrackState = { subscribed: true, state: 'playable', track, persistentTrack: track };
  return { ...participant, audio: true, tracks: { ...participant.tracks, audio } };
}
