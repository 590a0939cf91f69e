import { known, type TimelineEventOf } from './events.js';

/*
 * What happens behind a call, in words for who writes bots. The names that the wires and the runner have for it stand beside them, for who
 * looks something up.
 */

/** A step in words, and its name on the wire or in the runner. */
export interface StepWords {
  readonly label: string;
  readonly name: string;
}

/** What the provider asks or tells by each address. */
const WEBHOOKS: Readonly<Record<string, string>> = {
  '/answer': 'asks what to do',
  '/resume': 'asks how to go on',
  '/ring': 'tells that it rings',
  '/hangup': 'tells that the call is over',
  '/machine': 'tells who answered',
  '/stream-status': 'tells of the audio stream',
  '/rooms-dialin-webhook': 'tells of the call',
};

/** What the runner is about. */
const PHASES: Readonly<Record<string, string>> = {
  dialling: 'the carrier is asked to call',
  ringing: 'the phone rings',
  opening_room: 'the room is made',
  waiting_for_stream: 'waiting for the audio',
  returning: 'coming back from a transfer',
  starting: 'waiting for the bot',
  joined: 'the bot is in the room',
  talking: 'the bot has the call',
  between_streams: 'waiting for the carrier',
  transferring: 'transferring',
  ending: 'hanging up',
  ended: 'the call is over',
};

/** Messages of the media stream. */
const WIRE: Readonly<Record<'in' | 'out', Readonly<Record<string, string>>>> = {
  in: {
    start: 'the audio stream begins',
    mark: 'played up to here',
    cleared: 'dropped',
    dtmf: 'a key is pressed',
    stop: 'the audio stream ends',
    close: 'the audio stream is closed',
  },
  out: { mark: 'tell when this is played', clear: 'drop what is not played yet', dtmf: 'press keys' },
};

/** What an answer to the provider asks for, by its first element. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  Stream: 'connect the audio',
  Connect: 'connect the audio',
  Play: 'play a sound',
  Say: 'say a text',
  Speak: 'say a text',
  Pause: 'wait',
  Wait: 'wait',
  Dial: 'call the destination of the transfer',
  Redirect: 'ask again',
  Hangup: 'hang up',
  Reject: 'refuse the call',
};

/** A webhook, as something that the provider does. */
export function webhookWords({ path, event }: Pick<TimelineEventOf<'webhook'>, 'path' | 'event'>): StepWords {
  const name = event === 'other' || path.includes(event) ? path : `${path} ${event}`;
  return { label: known(WEBHOOKS, path) ?? name, name };
}

export const phaseWords = (phase: string): StepWords => ({
  label: known(PHASES, phase) ?? phase.replaceAll('_', ' '),
  name: phase,
});

export const wireWords = ({ direction, name }: TimelineEventOf<'wire'>): StepWords => ({
  label: known(direction === 'in' ? WIRE.in : WIRE.out, name) ?? name.replaceAll('_', ' '),
  name,
});

/** @param document the element within `Response` that comes first says what it is for */
export function documentWords(document: string): StepWords {
  const [, verb] = /<Response[^>]*>\s*<(\w+)/.exec(document) ?? [];
  if (verb === undefined) return { label: 'understood', name: 'empty document' };
  return { label: known(DOCUMENTS, verb) ?? `document: ${verb}`, name: `document: ${verb}` };
}
