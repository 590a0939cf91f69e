import type { IncomingHttpHeaders } from 'node:http';
import type { CallInfo } from '../call/call.js';
import type { BotSource } from './bot-source.js';

/** How a bot's stream came to its end: the bot closed it, the carrier closed it, or the bot failed. */
export type StreamOutcome = 'bot_ended' | 'far_end' | 'bot_crashed' | 'bot_timeout';

/**
 * A media stream whose upgrade has been accepted; the socket itself travels beside the message. The bot's process says
 * `taken`, the runner lets go of its own copy and says `go`, and only then is the upgrade answered: until a process
 * has the socket for certain, the runner can still close it.
 */
export interface ServeMessage {
  type: 'serve';
  call: CallInfo;
  body: Record<string, unknown>;
  request: { method: string; url: string; headers: IncomingHttpHeaders };
  /** Bytes that followed the request's head, base64. */
  head: string;
}

export type MessageToBot =
  /** Values for the bot's environment travel here and not in the process environment, which others can read. */
  | { type: 'load'; source: BotSource; environment: Record<string, string> }
  | ServeMessage
  | { type: 'go'; callId: string }
  /** The carrier says the call is over. */
  | { type: 'call_over'; callId: string }
  /** Another bot takes this call over: drop its stream without hanging up. */
  | { type: 'abandon'; callId: string }
  /** End all calls politely. */
  | { type: 'stop' }
  | { type: 'exit' };

export type MessageFromBot =
  | { type: 'ready' }
  | { type: 'load_failed'; message: string; stack: string }
  | { type: 'heartbeat' }
  | { type: 'taken'; callId: string }
  /** The bot has begun to read the stream. */
  | { type: 'reading'; callId: string }
  | { type: 'stream_over'; callId: string; outcome: StreamOutcome }
  /** The bot function has settled. */
  | { type: 'call_done'; callId: string };
