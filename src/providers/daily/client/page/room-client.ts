import type {
  DailyCall,
  DailyCallFactory,
  DailyEvent,
  DailyEventObject,
  DailyEventObjectDtmfEvent,
  DailyEventObjectFatalError,
  DailyParticipant,
  DailyParticipantsObject,
} from '@daily-co/daily-js';
import { isFields, type JsonFields, textOf } from '../../../../base/http/json-fields.js';
import type { RoomMethod, WireError, WireParticipant } from '../../../rooms/client-messages.js';
import type { FromPage } from '../wire.js';
import { PagePermissions } from './permissions.js';
import type { PageSound } from './sound.js';

type FieldsOf<Name extends DailyEvent> = readonly (keyof DailyEventObject<Name>)[];

/** What the client tells of telephone calls, and what of it matters: the library's types say that it is all there. */
const TOLD = {
  'dialin-ready': ['sipEndpoint'],
  'dialin-connected': ['sessionId', 'sipFrom', 'sipEndpoint', 'sipHeaders'],
  'dialin-stopped': ['sessionId', 'sipFrom', 'sipEndpoint', 'sipHeaders'],
  'dialin-warning': ['sessionId', 'errorMsg'],
  'dialin-error': ['sessionId', 'errorMsg', 'type'],
  'dialout-connected': ['sessionId', 'destination', 'callerId'],
  'dialout-stopped': ['sessionId', 'destination', 'callerId'],
  'dialout-warning': ['sessionId', 'errorMsg'],
  'dialout-error': ['sessionId', 'errorMsg'],
  'transcription-started': ['instanceId', 'startedBy'],
  'transcription-stopped': ['instanceId'],
  'transcription-error': ['instanceId', 'errorMsg'],
  'transcription-message': ['instanceId', 'participantId', 'text', 'rawResponse'],
  'nonfatal-error': ['errorMsg'],
} as const satisfies { readonly [Name in DailyEvent]?: FieldsOf<Name> };

/** Of an event that the library describes, and leaves out of its list of events. */
const KEY_FIELDS = ['tone', 'sessionId'] as const satisfies readonly (keyof DailyEventObjectDtmfEvent)[];

export interface PageRoom {
  readonly roomUrl: string;
  readonly token: string;
  readonly userName: string;
}

/** The provider's client in this page: joins one room, once. */
export class RoomClient {
  readonly #call: DailyCall;
  readonly #permissions: PagePermissions;
  #isIn = false;
  #isOver = false;
  /** Why the client has given up, in its own words. */
  #failure: WireError & { readonly isOfLoading: boolean } = { error: '', info: '', isOfLoading: false };

  /**
   * @param address of the provider's client, an ES module
   * @param tell gets what happens from the moment we are in the room
   */
  static async load(address: string, sound: PageSound, tell: (message: FromPage) => void): Promise<RoomClient> {
    const client = (await import(address)) as { default: DailyCallFactory };
    return new RoomClient(client.default, sound, tell);
  }

  private constructor(
    client: DailyCallFactory,
    private readonly sound: PageSound,
    private readonly tell: (message: FromPage) => void,
  ) {
    this.#call = client.createCallObject({
      audioSource: sound.track,
      videoSource: false,
      startVideoOff: true,
      subscribeToTracksAutomatically: true,
    });
    this.#permissions = new PagePermissions(this.#call);
    this.#follow();
  }

  /** Tells `failed` when it comes to nothing; `joined` is told as soon as we are in the room, before anything that happens there. */
  async join({ roomUrl, token, userName }: PageRoom): Promise<void> {
    try {
      await this.#call.join({ url: roomUrl, token, userName });
    } catch (error) {
      if (this.#failure.error === '') this.#failure = { ...wordsOf(error), isOfLoading: false };
      const { isOfLoading, ...words } = this.#failure;
      this.tell({ type: 'failed', what: isOfLoading ? 'client' : 'room', error: words });
    }
  }

  /** @returns what the provider's client has answered. Throws what it throws. */
  async perform(method: RoomMethod, params: JsonFields): Promise<unknown> {
    const call = this.#call;
    // The parameters are the client's own, and come from code that was checked.
    const given = params as Record<string, string>;
    const { sessionId = '', toEndPoint = '', tones = '' } = given;
    switch (method) {
      case 'startDialOut':
        return call.startDialOut(given);
      case 'stopDialOut':
        return call.stopDialOut({ sessionId });
      case 'sendDTMF':
        return call.sendDTMF({ sessionId, tones });
      case 'sipCallTransfer':
        return call.sipCallTransfer({ sessionId, toEndPoint });
      case 'sipRefer':
        return call.sipRefer({ sessionId, toEndPoint });
      case 'startTranscription':
        call.startTranscription(params);
        return {};
      case 'updateTranscription':
        call.updateTranscription({ participants: [], ...params });
        return {};
      case 'stopTranscription':
        call.stopTranscription(params);
        return {};
      case 'updatePermissions':
        return this.#permissions.update(params);
      case 'eject': {
        const present = call.participants();
        const ids = (params.ids as readonly string[]).filter((id) => id in present);
        if (ids.length > 0) call.updateParticipants(Object.fromEntries(ids.map((id) => [id, { eject: true }])));
        return {};
      }
    }
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    try {
      await this.#call.leave();
    } finally {
      await this.#call.destroy();
    }
  }

  #follow(): void {
    const call = this.#call;
    const follow = (name: DailyEvent, fields: readonly string[]) =>
      call.on(name, (event: object) => {
        const told = Object.entries(event).filter(([field]) => fields.includes(field));
        if (this.#isIn) this.tell({ type: 'event', event: { ...Object.fromEntries(told), action: name } });
      });
    for (const [name, fields] of Object.entries(TOLD)) follow(name as keyof typeof TOLD, fields);
    follow('dialout-answered', TOLD['dialout-connected']); // which older versions do not describe
    follow('dtmf-event' as DailyEvent, KEY_FIELDS);
    call.on('joined-meeting', ({ participants }) => this.#enter(participants));
    call.on('participant-joined', ({ participant }) => this.#come(participant));
    call.on('participant-left', ({ participant }) => this.#go(participant));
    call.on('track-started', ({ participant, track, type }) => {
      if (participant && !participant.local && type === 'audio') this.sound.add(participant.session_id, track);
    });
    call.on('track-stopped', ({ track }) => this.sound.remove(track));
    call.on('error', (event) => this.#fail(event));
    call.on('left-meeting', () => this.#out({ error: '', info: 'left the room' }));
  }

  #enter({ local, ...others }: DailyParticipantsObject): void {
    if (this.#isIn) return;
    this.#isIn = true;
    this.tell({ type: 'joined', sessionId: local.session_id, participants: Object.values(others).map(shown) });
    for (const participant of Object.values(others)) this.#hear(participant);
  }

  #come(participant: DailyParticipant): void {
    if (participant.local || !this.#isIn) return;
    this.tell({ type: 'event', event: { action: 'participant-joined', participant: shown(participant) } });
    this.#hear(participant);
  }

  #go(participant: DailyParticipant): void {
    if (participant.local || !this.#isIn) return;
    this.tell({ type: 'event', event: { action: 'participant-left', participant: shown(participant) } });
  }

  #hear({ session_id, tracks }: DailyParticipant): void {
    const { state, persistentTrack } = tracks.audio;
    if (state === 'playable' && persistentTrack) this.sound.add(session_id, persistentTrack);
  }

  #fail({ errorMsg, error }: DailyEventObjectFatalError): void {
    const details: unknown = error && 'details' in error ? error.details : undefined;
    const isOfLoading = isFields(details) && details.on === 'load';
    this.#failure = { error: error?.type ?? 'connection-error', info: errorMsg, isOfLoading };
    this.#out(this.#failure);
  }

  /** We are in the room no more, and have not asked for that. */
  #out({ error, info }: WireError): void {
    if (!this.#isIn || this.#isOver) return;
    this.#isOver = true;
    this.tell({ type: 'left', error: { error, info } });
  }
}

const shown = (participant: DailyParticipant): WireParticipant => {
  const { session_id, user_id, user_name, owner, participantType = 'unknown' } = participant;
  return { session_id, user_id, user_name, owner, participantType };
};

/** What the client throws: text, an error, or an event. */
export function wordsOf(thrown: unknown): WireError {
  if (typeof thrown === 'string') return { error: '', info: thrown };
  const { error, type, errorMsg, message, msg } = Object(thrown) as JsonFields;
  const inner = isFields(error) ? error : {};
  return {
    error: textOf(inner.type) ?? textOf(type) ?? textOf(error) ?? '',
    info: textOf(errorMsg) ?? textOf(inner.msg) ?? textOf(message) ?? textOf(msg) ?? JSON.stringify(thrown) ?? '',
  };
}
