/**
 * What a page uses of the provider's client (`@daily-co/daily-js`), over the rooms of the sandbox: an ES module for browsers, which the
 * sandbox serves and whose default export takes the place of the library's. The library's own types are its contract: a version
 * that renames something does not compile here.
 *
 * What is different from the library: nothing is loaded, a microphone or a camera is never opened, options that are not about joining
 * mean nothing, a connection that is lost is not made again, one mixed track stands for those of all the others (see {@link People}), and the room checks what call control asks for,
 * where the library checks some of it itself. Events come as soon as `joined-meeting` has been told: listen before you join.
 */
import type {
  DailyBrowserInfo,
  DailyCall,
  DailyCallFactory,
  DailyCallOptions,
  DailyCallStaticUtils,
  DailyDialOutSession,
  DailyEvent,
  DailyEventObject,
  DailyFactoryOptions,
  DailyFatalError,
  DailyMeetingState,
  DailyParticipant,
  DailyParticipantPermissionsUpdate,
  DailyParticipantsObject,
  DailyParticipantUpdateOptions,
  DailySipCallTransferOptions,
  DailySipReferOptions,
  DailyStartDialoutOptions,
  DailyTranscriptionDeepgramOptions,
  DailyTranscriptionStopOptions,
  DailyTranscriptionUpdateOptions,
} from '@daily-co/daily-js';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import { isFields, textOf } from '../../../base/http/json-fields.js';
import {
  isWireParticipant,
  type RoomMethod,
  type TranscriptionMethod,
  type WireEvent,
} from '../../../providers/rooms/client-messages.js';
import { ROOM_PROTOCOL } from '../../../providers/rooms/webrtc/room-wire.js';
import { type EventPayload, PageCallEvents } from './call-events.js';
import { People, trackOf } from './people.js';
import { PageRoomLink, type RoomEntry } from './room-link.js';

type Used =
  | 'callClientId'
  | 'join'
  | 'leave'
  | 'destroy'
  | 'isDestroyed'
  | 'meetingState'
  | 'participants'
  | 'updateParticipant'
  | 'updateParticipants'
  | 'on'
  | 'once'
  | 'off'
  | 'startDialOut'
  | 'stopDialOut'
  | 'sendDTMF'
  | 'sipCallTransfer'
  | 'sipRefer'
  | 'startTranscription'
  | 'updateTranscription'
  | 'stopTranscription';

type Updates = Readonly<Record<string, DailyParticipantUpdateOptions>>;

/** The call objects that are not destroyed yet. */
const live = new Set<CallObject>();
let created = 0;

class CallObject implements Pick<DailyCall, Used> {
  readonly callClientId: string;
  readonly #events = new PageCallEvents();
  readonly #people = new People();
  #options: DailyCallOptions;
  #state: DailyMeetingState = 'new';
  #isDestroyed = false;
  #link: PageRoomLink | undefined;
  #leaving: Promise<void> | undefined;
  #joining: Deferred<DailyParticipantsObject> | undefined;

  /** @throws Error for a second one, unless that is allowed */
  constructor({ allowMultipleCallInstances = false, ...options }: DailyFactoryOptions) {
    if (live.size > 0 && !allowMultipleCallInstances) throw new Error('Duplicate call instances are not allowed');
    live.add(this);
    created += 1;
    this.callClientId = String(created);
    this.#options = options;
  }

  /**
   * Joins the room at `url`, and says what is on the track `audioSource`. Resolves with who is there, before anybody can be heard.
   * As in the library, a refusal is told as an `error` event, and the promise rejects with that very event.
   */
  async join(options: DailyCallOptions = {}): Promise<DailyParticipantsObject | undefined> {
    if (this.#isDestroyed) throw new Error('the call object has been destroyed');
    this.#options = { ...this.#options, ...options };
    const { url, token = '', userName = '', audioSource } = this.#options;
    if (!url) throw new Error('no url of a room was given');
    if (this.#link) {
      console.error('the room is being joined already, or has been: leave it first');
      return undefined;
    }
    const track = audioSource instanceof MediaStreamTrack ? audioSource : undefined;
    const joining = deferred<DailyParticipantsObject>();
    this.#link = new PageRoomLink({
      url,
      token,
      userName,
      track,
      entered: (entry) => this.#entered(entry, userName, track),
      told: (event) => this.#told(event),
      over: (error) => this.#failed(error),
    });
    this.#joining = joining;
    this.#state = 'joining-meeting';
    this.#emit('joining-meeting', {});
    return joining.promise;
  }

  /** Rejects a promise of joining that is still waiting. */
  async leave(): Promise<void> {
    if (this.#state === 'left-meeting' || this.#state === 'error') return this.#leaving;
    const link = this.#link;
    this.#out('left-meeting');
    this.#joining?.reject(new Error('the meeting was left before it was joined'));
    this.#leaving = link?.leave();
    await this.#leaving;
    this.#emit('left-meeting', {});
  }

  async destroy(): Promise<void> {
    await this.leave();
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    live.delete(this);
    this.#emit('call-instance-destroyed', {});
  }

  isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  meetingState(): DailyMeetingState {
    return this.#state;
  }

  participants(): DailyParticipantsObject {
    return this.#people.all;
  }

  updateParticipant(sessionId: string, updates: DailyParticipantUpdateOptions): DailyCall {
    return this.updateParticipants({ [sessionId]: updates });
  }

  /** Of all updates, these rooms know two. As in the library, the bot is not told whether it was carried out. */
  updateParticipants(updates: Updates): DailyCall {
    const known: readonly string[] = ['eject', 'updatePermissions'] satisfies (keyof DailyParticipantUpdateOptions)[];
    for (const name of Object.values(updates).flatMap(Object.keys)) {
      if (!known.includes(name)) throw new Error(`unrecognized updateParticipant property ${name}`);
    }
    const ids = Object.keys(updates).filter((id) => updates[id]?.eject);
    if (ids.length > 0) this.#ask('eject', { ids });
    const data = Object.entries(updates).flatMap(([id, { updatePermissions }]) =>
      updatePermissions ? [[id, withoutSets(updatePermissions)]] : [],
    );
    if (data.length > 0) this.#ask('updatePermissions', { data: Object.fromEntries(data) });
    return asLibrary(this);
  }

  #ask(method: RoomMethod, params: object): void {
    this.#request(method, params).catch((error: unknown) => console.error(`${method} was refused`, error));
  }

  on<T extends DailyEvent>(event: T, handler: (event: DailyEventObject<T>) => void): DailyCall {
    this.#events.add(event, handler, { isOnce: false });
    return asLibrary(this);
  }

  once<T extends DailyEvent>(event: T, handler: (event: DailyEventObject<T>) => void): DailyCall {
    this.#events.add(event, handler, { isOnce: true });
    return asLibrary(this);
  }

  off<T extends DailyEvent>(event: T, handler: (event: DailyEventObject<T>) => void): DailyCall {
    this.#events.remove(event, handler);
    return asLibrary(this);
  }

  async startDialOut(options: DailyStartDialoutOptions): Promise<{ session?: DailyDialOutSession }> {
    const result = await this.#request('startDialOut', options);
    const sessionId = isFields(result) ? textOf(result.sessionId) : undefined;
    return sessionId ? { session: { sessionId } } : {};
  }

  async stopDialOut(options: { sessionId: string }): Promise<void> {
    await this.#request('stopDialOut', options);
  }

  async sendDTMF(options: Parameters<DailyCall['sendDTMF']>[0]): Promise<void> {
    await this.#request('sendDTMF', options);
  }

  async sipCallTransfer(options: DailySipCallTransferOptions): Promise<void> {
    await this.#request('sipCallTransfer', options);
  }

  async sipRefer(options: DailySipReferOptions): Promise<void> {
    await this.#request('sipRefer', options);
  }

  /** As in the library, an event tells what becomes of it. */
  startTranscription(options?: DailyTranscriptionDeepgramOptions): void {
    this.#transcribe('startTranscription', { ...options });
  }

  updateTranscription(options: DailyTranscriptionUpdateOptions): void {
    if (!options) throw new Error('updateTranscription Error: options is mandatory');
    this.#transcribe('updateTranscription', { ...options });
  }

  stopTranscription(options?: DailyTranscriptionStopOptions): void {
    if (options && !options.instanceId) throw new Error('"instanceId" not provided');
    this.#transcribe('stopTranscription', { ...options });
  }

  #transcribe(method: TranscriptionMethod, options: object): void {
    if (this.#state !== 'joined-meeting') throw new Error(`${method}() only supported after join.`);
    this.#request(method, options).catch((error: unknown) => console.error(`${method} was refused`, error));
  }

  async #request(method: RoomMethod, params: object): Promise<unknown> {
    if (this.#state !== 'joined-meeting' || !this.#link) throw new Error(`${method}() only supported after join.`);
    return this.#link.request(method, { ...params });
  }

  #entered({ sessionId, others, heard }: RoomEntry, userName: string, said: MediaStreamTrack | undefined): void {
    this.#people.enter(sessionId, userName, heard, said);
    for (const participant of others) this.#people.come(participant);
    this.#state = 'joined-meeting';
    const participants = this.#people.all;
    this.#joining?.resolve(participants);
    this.#emit('joined-meeting', { participants });
    // The library tells of our own tracks too.
    if (this.#people.local) this.#hear(this.#people.local);
    this.#pass();
  }

  #told(event: WireEvent): void {
    const { action, participant } = event;
    if (action === 'participant-joined' && isWireParticipant(participant)) {
      this.#emit('participant-joined', { participant: this.#people.come(participant) });
      this.#pass();
    } else if (action === 'participant-left' && isWireParticipant(participant)) {
      const gone = this.#people.go(participant.session_id);
      if (!gone) return;
      const track = trackOf(gone);
      if (track) this.#emit('track-stopped', { participant: gone, track, type: 'audio' });
      this.#emit('participant-left', { participant: gone });
      this.#pass();
    } else if (action === 'participant-updated' && isWireParticipant(participant)) {
      const changed = this.#people.change(participant);
      if (changed) this.#emit('participant-updated', { participant: changed });
    } else {
      const isMessage = action === ('transcription-message' satisfies DailyEvent);
      const time = isMessage ? { timestamp: new Date(textOf(event.timestamp) ?? Date.now()) } : {};
      this.#events.emit({ ...event, ...time, callClientId: this.callClientId });
    }
  }

  #pass(): void {
    const carrier = this.#people.pass();
    if (!carrier) return;
    this.#hear(carrier);
    this.#emit('participant-updated', { participant: carrier });
  }

  #hear(participant: DailyParticipant): void {
    const track = trackOf(participant);
    if (track) this.#emit('track-started', { participant, track, type: 'audio' });
  }

  #failed(error: DailyFatalError): void {
    const event = { action: 'error' as const, callClientId: this.callClientId, errorMsg: error.msg, error };
    this.#out('error');
    this.#joining?.reject(event satisfies DailyEventObject<'error'>);
    this.#events.emit(event);
    this.#emit('left-meeting', {});
  }

  #out(state: DailyMeetingState): void {
    this.#state = state;
    this.#link = undefined;
    this.#people.clear();
  }

  #emit<Name extends DailyEvent>(action: Name, payload: EventPayload<Name>): void {
    this.#events.emit({ ...payload, action, callClientId: this.callClientId });
  }
}

const withoutSets = ({ canSend, canAdmin, ...others }: DailyParticipantPermissionsUpdate): object => ({
  ...others,
  ...(canSend !== undefined && { canSend: canSend instanceof Set ? [...canSend] : canSend }),
  ...(canAdmin !== undefined && { canAdmin: canAdmin instanceof Set ? [...canAdmin] : canAdmin }),
});

/** What pages do not use is not there. */
function asLibrary(call: Pick<DailyCall, Used>): DailyCall {
  return call as DailyCall;
}

const client: Pick<DailyCallFactory, 'createCallObject'> & DailyCallStaticUtils = {
  createCallObject: (options: DailyFactoryOptions = {}) => asLibrary(new CallObject(options)),
  version: () => ROOM_PROTOCOL,
  supportedBrowser: (): DailyBrowserInfo => {
    const supported = 'RTCPeerConnection' in window;
    const never = { supportsFullscreen: false, supportsScreenShare: false, supportsVideoProcessing: false };
    return {
      supported,
      mobile: false,
      name: '',
      version: '',
      supportsSfu: supported,
      supportsAudioProcessing: false,
      ...never,
    };
  },
};

export default client;
