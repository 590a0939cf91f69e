import { isDtmfDigit } from '../../base/audio/dtmf-digit.js';
import { cleanText } from '../../base/clean-text.js';
import { isFields, type JsonFields, textOf } from '../../base/http/json-fields.js';
import { isWireParticipant, type WireEvent, type WireParticipant } from './client-messages.js';
import type {
  DialinData,
  DialoutData,
  LegProblem,
  RoomEvents,
  RoomParticipant,
  RoomParticipantKind,
} from './room-connection.js';

/** Of what a leg's problem is told with, in characters. */
const MAX_WORDS = 300;

/** Something that happens in a room, under its name here. */
export type RoomEvent = {
  [Name in keyof RoomEvents]: { readonly name: Name; readonly data: RoomEvents[Name][0] };
}[keyof RoomEvents];

/**
 * An event of the provider's client as one of a room.
 * @returns undefined for events that mean nothing here, and for those that lack what they are about
 * @see rooms reference 9.1
 */
export function roomEventOf(event: WireEvent): RoomEvent | undefined {
  switch (event.action) {
    case 'participant-joined':
    case 'participant-left': {
      const { participant } = event;
      if (!isWireParticipant(participant)) return undefined;
      const name = event.action === 'participant-joined' ? 'participant_joined' : 'participant_left';
      return { name, data: participantOf(participant) };
    }
    case 'dialin-ready': {
      const sipEndpoint = textOf(event.sipEndpoint);
      return sipEndpoint ? { name: 'dialin_ready', data: { sipEndpoint } } : undefined;
    }
    case 'dialin-connected':
      return withLeg('dialin_connected', dialinOf(event));
    case 'dialin-stopped':
      return withLeg('dialin_stopped', dialinOf(event));
    case 'dialin-warning':
      return { name: 'dialin_warning', data: problemOf(event) };
    case 'dialin-error': {
      const startFailed = event.type === 'start-failed' ? ({ type: 'start-failed' } as const) : {};
      return { name: 'dialin_error', data: { ...problemOf(event), ...startFailed } };
    }
    case 'dialout-connected':
      return withLeg('dialout_connected', dialoutOf(event));
    case 'dialout-answered':
      return withLeg('dialout_answered', dialoutOf(event));
    case 'dialout-stopped':
      return withLeg('dialout_stopped', dialoutOf(event));
    case 'dialout-warning':
      return { name: 'dialout_warning', data: problemOf(event) };
    case 'dialout-error':
      return { name: 'dialout_error', data: problemOf(event) };
    case 'dtmf-event': {
      const { tone } = event;
      return isDtmfDigit(tone) ? { name: 'dtmf', data: { digit: tone, ...texts(event, ['sessionId']) } } : undefined;
    }
    case 'transcription-started':
      return { name: 'transcription_started', data: texts(event, ['instanceId', 'startedBy']) };
    case 'transcription-stopped':
      return { name: 'transcription_stopped', data: texts(event, ['instanceId']) };
    case 'transcription-error': {
      const { errorMsg } = problemOf(event);
      return { name: 'transcription_error', data: { errorMsg, ...texts(event, ['instanceId']) } };
    }
    case 'transcription-message':
      return messageOf(event);
    default:
      return undefined;
  }
}

/** A message says more of itself only in the words of the speech to text behind it, which are asked for (rooms reference 8.3). */
function messageOf(event: WireEvent): RoomEvent | undefined {
  const sessionId = textOf(event.participantId);
  const { text } = event;
  if (!sessionId || typeof text !== 'string') return undefined;
  const { is_final, speech_final } = isFields(event.rawResponse) ? event.rawResponse : ({} as JsonFields);
  const isFinal = is_final !== false;
  const endsUtterance = isFinal && speech_final !== false;
  return {
    name: 'transcription_message',
    data: { sessionId, text: text.trim(), isFinal, endsUtterance, ...texts(event, ['instanceId']) },
  };
}

/** @param participant of which nothing but the session id is certain */
export function participantOf(participant: WireParticipant): RoomParticipant {
  const { session_id, user_name, owner, participantType } = participant;
  const userId = textOf(participant.user_id);
  return {
    sessionId: session_id,
    userName: textOf(user_name) ?? '',
    isOwner: owner === true,
    kind: kindOf(textOf(participantType) ?? ''),
    ...(userId !== undefined && userId !== session_id && { userId }),
  };
}

function kindOf(participantType: string): RoomParticipantKind {
  if (participantType.endsWith('-dial-in')) return 'dial-in';
  return participantType.endsWith('-dial-out') ? 'dial-out' : 'web';
}

function withLeg<Name extends string, Data>(name: Name, data: Data | undefined) {
  return data && { name, data };
}

function dialinOf(event: WireEvent): DialinData | undefined {
  const sessionId = textOf(event.sessionId);
  if (!sessionId) return undefined;
  const sipHeaders = isFields(event.sipHeaders) ? { sipHeaders: textsOf(event.sipHeaders) } : {};
  return { sessionId, ...texts(event, ['sipFrom', 'sipEndpoint']), ...sipHeaders };
}

function dialoutOf(event: WireEvent): DialoutData | undefined {
  const sessionId = textOf(event.sessionId);
  return sessionId ? { sessionId, ...texts(event, ['destination', 'callerId']) } : undefined;
}

const problemOf = (event: WireEvent): LegProblem => ({
  errorMsg: cleanText(textOf(event.errorMsg) ?? '', MAX_WORDS),
  ...texts(event, ['sessionId']),
});

/** Those of the fields that are there as text. */
function texts<Name extends string>(fields: JsonFields, names: readonly Name[]): { [N in Name]?: string } {
  const found = names.map((name) => [name, textOf(fields[name])]).filter(([, value]) => value !== undefined);
  return Object.fromEntries(found);
}

const textsOf = (fields: JsonFields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
