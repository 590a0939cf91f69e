import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import type { RoomEvents, RoomParticipant } from '../../../providers/rooms/room-connection.js';
import type { Dialouts } from './dialouts.js';
import type { HeldCaller } from './held-caller.js';
import type { DialoutNews, Leg, RoomCall } from './room-call.js';
import type { RoomListener } from './room-presence.js';
import type { RoomTransfer } from './room-transfer.js';
import type { Announce, RoomsEventData } from './rooms-event-data.js';

/** What the events of a room concern. */
export interface ConcernedCall {
  readonly call: RoomCall;
  readonly dialouts: Dialouts;
  heldCaller(): HeldCaller | undefined;
  transfer(): RoomTransfer | undefined;
  readonly announce: Announce;
  isThere(sessionId: string): boolean;
  /** A participant is in the room. */
  present(participant: RoomParticipant): void;
  pressed(digit: DtmfDigit): void;
  /** The caller cannot come, or cannot be heard any more. */
  broken(): void;
}

/** What is done about an event, before and after the handlers hear of it. */
type Reactions = {
  readonly [Name in Exclude<keyof RoomEvents, 'dialout_answered' | 'rejoined' | 'left'>]: {
    readonly before?: (concerned: ConcernedCall, data: RoomEvents[Name][0]) => void;
    readonly after?: (concerned: ConcernedCall, data: RoomEvents[Name][0]) => void;
  };
};

/**
 * An event by which the call goes on is acted upon before the handlers hear of it, so that they find things as they are told.
 * One that ends the pipeline comes to the handlers first.
 */
const REACTIONS: Reactions = {
  participant_joined: { before: ({ present }, participant) => present(participant) },
  participant_left: { after: ({ call }, participant) => call.disappeared(participant) },
  dialin_ready: { before: ({ heldCaller }, { sipEndpoint }) => heldCaller()?.ready(sipEndpoint) },
  dialin_connected: {
    before: ({ heldCaller, call }, { sessionId }) => {
      heldCaller()?.arrived();
      call.comesIn(sessionId);
    },
  },
  dialin_stopped: { after: ({ call }, { sessionId }) => call.hear(sessionId, { type: 'stopped' }) },
  dialin_warning: {},
  dialin_error: {
    after: ({ call, heldCaller, broken }, { sessionId }) => {
      const isOfLeg = sessionId !== undefined && sessionId === call.leg?.sessionId;
      if (isOfLeg || heldCaller()?.isAwaited) broken();
    },
  },
  dialout_connected: { before: (concerned, { sessionId }) => hearDialout(concerned, sessionId, { type: 'ringing' }) },
  dialout_stopped: { after: (concerned, { sessionId }) => hearDialout(concerned, sessionId, { type: 'stopped' }) },
  dialout_warning: {},
  dialout_error: {
    after: (concerned, { sessionId, errorMsg }) => hearDialout(concerned, sessionId, { type: 'failed', errorMsg }),
  },
  dtmf: { after: ({ pressed }, { digit }) => pressed(digit) },
  transcription_started: {},
  transcription_message: {},
  transcription_stopped: {},
  transcription_error: {},
};

/** Events that a participant or a leg has once. */
const ONCE: readonly string[] = [
  'participant_joined',
  'participant_left',
  'dialin_connected',
  'dialin_stopped',
  'dialout_connected',
  'dialout_stopped',
] satisfies (keyof Reactions)[];

/**
 * What comes twice of one participant or one leg is taken once.
 * @returns what listens to the events of a room for the call in it; that the bot itself has left is for others
 */
export function roomReactions(concerned: ConcernedCall): Omit<RoomListener, 'left'> {
  const told = new ToldEvents();
  const react = <Name extends keyof Reactions>(name: Name) => {
    const { before, after } = REACTIONS[name];
    const listener = (data: RoomEvents[Name][0]) => {
      if (ONCE.includes(name) && !told.isNew(name, (data as { readonly sessionId: string }).sessionId)) return;
      before?.(concerned, data);
      concerned.announce(name, data as RoomsEventData[Name]); // as the provider tells it
      after?.(concerned, data);
    };
    return [name, listener];
  };
  const names = Object.keys(REACTIONS) as Array<keyof Reactions>;
  return {
    ...(Object.fromEntries(names.map(react)) as Pick<RoomListener, keyof Reactions>),
    dialout_answered: (data) => {
      if (!told.isNew('dialout_answered', data.sessionId)) return;
      const isOfTransfer = hearDialout(concerned, data.sessionId, { type: 'answered' });
      if (!isOfTransfer) concerned.announce('dialout_answered', concerned.dialouts.answered(data));
    },
    rejoined: () => {
      const { call, isThere } = concerned;
      const transfer = concerned.transfer();
      call.missedNews(isThere);
      transfer?.missedNews(isThere(transfer.leg.sessionId));
    },
  };
}

/** Has an event that was lost take its course. */
export function tellMissed(
  reactions: Pick<RoomListener, 'participant_joined' | 'dialout_answered'>,
  event: 'participant_joined' | 'dialout_answered',
  { sessionId, kind }: Leg,
): void {
  if (event === 'dialout_answered') reactions.dialout_answered({ sessionId });
  else reactions.participant_joined({ sessionId, userName: '', isOwner: false, kind });
}

/** @returns whether it was about the destination of a transfer, which tells its own answer */
function hearDialout({ transfer, call }: ConcernedCall, sessionId: string | undefined, news: DialoutNews): boolean {
  if (transfer()?.hear(sessionId, news)) return true;
  call.hear(sessionId, news);
  return false;
}

const ENDS: readonly string[] = ['participant_left', 'dialin_stopped', 'dialout_stopped'];

/** What was told of each participant and of each leg, since it ended last: a provider may tell a thing twice. */
class ToldEvents {
  readonly #told = new Map<string, Set<string>>();

  /** @returns whether this event of a participant or a leg is told for the first time; it counts as told from then on */
  isNew(name: string, sessionId: string): boolean {
    const key = `${name.startsWith('participant_')} ${sessionId}`;
    const told = this.#told.get(key) ?? new Set();
    this.#told.set(key, told);
    if (told.has(name)) return false;
    if (ENDS.includes(name)) told.clear();
    else for (const end of ENDS) told.delete(end);
    told.add(name);
    return true;
  }
}
