import type { WebSocket } from 'ws';
import type { CallInfo } from './call.js';

interface CommonRunnerArguments {
  readonly call: CallInfo;
  /** Aborted when the bot must stop: the call is over, the runner shuts down, or a replacement has taken over. */
  readonly signal: AbortSignal;
}

/** Arguments of a bot started for a call whose audio the carrier streams over a WebSocket. */
export interface CarrierRunnerArguments extends CommonRunnerArguments {
  readonly transport: 'carrier';
  /** The carrier's media stream. Paused until the bot listens for its messages, so that none is lost. */
  readonly websocket: WebSocket;
  /** Custom data of a dialled call, `{}` when there is none. */
  readonly body: Record<string, unknown>;
  /** Custom query parameters of the answer address (dial-in) or of `POST /start` (dial-out), such as `campaign_id`. */
  readonly query: Readonly<Record<string, string>>;
}

/** Arguments of a bot started for a call that is bridged into a media room. */
export interface RoomsRunnerArguments extends CommonRunnerArguments {
  readonly transport: 'rooms';
  readonly room_url: string;
  readonly token: string;
  /** A `RoomsDialinRequest` for a call that came in, the custom data for one that goes out. */
  readonly body?: unknown;
  /** The number to dial, on dial-out. */
  readonly phone_number?: string;
}

/** What a bot function is called with; `transport` tells the two apart. */
export type RunnerArguments = CarrierRunnerArguments | RoomsRunnerArguments;

/** What a bot file exports as `bot` or as its default. The call's bot has ended when the promise settles. */
export type BotFunction = (args: RunnerArguments) => Promise<void>;
