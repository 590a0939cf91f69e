import { CancelFrame } from '../../../src/bot/pipeline/frames/index.js';
import {
  type FrameProcessor,
  Pipeline,
  PipelineTask,
  type PipelineTaskOptions,
} from '../../../src/bot/pipeline/index.js';
import type { RoomsEventData } from '../../../src/bot/transports/room/rooms-event-data.js';
import type { RoomsParams } from '../../../src/bot/transports/room/rooms-params.js';
import { RoomsTransport, type RoomsTransportEvents } from '../../../src/bot/transports/room/rooms-transport.js';
import type { CallTape } from '../../../src/call/call-tape.js';
import { linkRunner, type RoomNews, type RoomPast, type RoomRunnerLink } from '../../../src/call/runner-link.js';
import type { RoomUserIds } from '../../../src/providers/rooms/user-ids.js';
import { Recorder } from '../pipeline/recorder.js';
import { FakeRoom, participant } from './fake-room.js';

export const ROOM_URL = 'http://127.0.0.1:9/room/test';
export const CALLER = participant('caller', 'dial-in');
export const DIALIN = { callId: 'call-1', callDomain: 'domain-1' };

const EVENTS: ReadonlyArray<keyof RoomsEventData> = [
  'joined',
  'first_participant_joined',
  'participant_joined',
  'participant_left',
  'dialin_ready',
  'dialin_connected',
  'dialin_stopped',
  'dialin_warning',
  'dialin_error',
  'dialout_connected',
  'dialout_answered',
  'dialout_stopped',
  'dialout_warning',
  'dialout_error',
  'transfer_failed',
  'dtmf',
  'transcription_started',
  'transcription_message',
  'transcription_stopped',
  'transcription_error',
  'left',
  'error',
];

/** A runner that notes what it is told. */
export class HandRoomLink implements RoomRunnerLink {
  readonly told: RoomNews[] = [];

  constructor(
    readonly past: RoomPast,
    readonly silenceMs: number,
    readonly ringMs: number,
    readonly tape?: CallTape,
  ) {}

  isReplacedNow = false;
  userIds: RoomUserIds | undefined;
  checkTarget = async (to: string): Promise<string> => to;

  isReplaced(): boolean {
    return this.isReplacedNow;
  }

  tell(news: RoomNews): void {
    this.told.push(news);
  }

  get types(): string[] {
    return this.told.map((news) => (news.type === 'over' ? `over ${news.reason}` : news.type));
  }
}

export interface RoomStart extends PipelineTaskOptions {
  params?: Partial<RoomsParams>;
  /** Sets the scene before the pipeline starts. */
  before?: (scene: { room: FakeRoom; link: HandRoomLink; transport: RoomsTransport }) => void;
  /** Whether a runner is there. Default true. */
  isLinked?: boolean;
  /** What earlier bots have done. */
  past?: Partial<RoomPast>;
  silenceMs?: number;
  /** Default 120 000. */
  ringMs?: number;
  tape?: CallTape;
  /** What stands behind the input. */
  processors?: readonly FrameProcessor[];
}

let rooms = 0;

/** A running pipeline in a fake room, in fake time, joined unless the room says otherwise. Everything that is told is noted. */
export async function startRoom(start: RoomStart = {}) {
  const {
    params = {},
    before,
    isLinked = true,
    past,
    silenceMs = 0,
    ringMs = 120_000,
    tape,
    processors = [],
    ...options
  } = start;
  rooms += 1;
  const token = `token-${rooms}`;
  const room = new FakeRoom();
  const link = new HandRoomLink({ isForwarded: false, dialout: undefined, ...past }, silenceMs, ringMs, tape);
  const unlink = isLinked ? linkRunner({ roomUrl: ROOM_URL, token }, link) : () => {};
  const transport = new RoomsTransport(ROOM_URL, token, 'Ada', { apiKey: 'key', connect: room.join, ...params });
  unlink();
  const events: string[] = [];
  const data: unknown[] = [];
  for (const name of EVENTS) {
    transport.on(name, (...[, told]: RoomsTransportEvents[typeof name]) => {
      events.push(name);
      data.push(told);
    });
  }
  const heard = new Recorder();
  const after = new Recorder();
  const task = new PipelineTask(
    new Pipeline([transport.input(), ...processors, heard, transport.output(), after]),
    options,
  );
  before?.({ room, link, transport });
  const run = task.run();
  let isOver = false;
  run.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  const turn = () => jest.advanceTimersByTimeAsync(0);
  await turn();
  return {
    room,
    link,
    transport,
    events,
    /** What the handlers of one event were given. */
    told: <Name extends keyof RoomsEventData>(name: Name) =>
      data.filter((_, index) => events[index] === name) as RoomsEventData[Name][],
    /** What has happened so far counts no more. */
    forget: () => {
      events.length = 0;
      data.length = 0;
      link.told.length = 0;
      room.asked.length = 0;
    },
    heard,
    after,
    task,
    run,
    turn,
    wait: (ms: number) => jest.advanceTimersByTimeAsync(ms),
    isOver: () => isOver,
    cancelled: () => heard.of(CancelFrame).map(({ reason }) => reason),
  };
}

/** The same with a caller in the room whom the bot serves. */
export async function roomWithCaller(start: RoomStart = {}) {
  const call = await startRoom(start);
  call.room.tell('dialin_connected', { sessionId: CALLER.sessionId });
  call.room.comes(CALLER);
  call.forget();
  return call;
}
