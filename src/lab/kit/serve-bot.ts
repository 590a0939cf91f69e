import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { VoicebotError } from '../../base/errors.js';
import type { BotEndReason, CallDirection, EndReason } from '../../call/call.js';
import { asCallId, asProviderCallId, type CallId } from '../../call/call-id.js';
import type { BotFunction } from '../../call/runner-arguments.js';
import type { AnswerStep, CarrierWebhook } from '../../providers/carrier.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import { carrierByName } from '../../providers/registry/carriers.js';
import { BotHost } from '../../runner/bots/bot-host.js';
import type { MessageFromBot, ServedCall, ServeMessage, StreamOutcome } from '../../runner/bots/messages.js';
import { WaitingStream } from '../../runner/bots/waiting-stream.js';
import { type DecideTransfer, TransferStage } from './transfer-stage.js';

/** No test takes longer. */
const LIMIT_MS = 24 * 60 * 60 * 1_000;

/** Why a call is over whose last stream has ended like this. */
const REASONS: Readonly<Record<StreamOutcome, EndReason>> = {
  bot_ended: 'bot_ended',
  far_end: 'caller_hung_up',
  stream_lost: 'telephony_error',
  bot_crashed: 'bot_crashed',
  bot_timeout: 'bot_timeout',
  transferring: 'transferred',
};

export interface ServeBotOptions {
  body: Record<string, unknown>;
  query: Readonly<Record<string, string>>;
  /** What the bot takes the call for: the caller's number stands in `to` of an `outbound` one. */
  direction: CallDirection;
  transfer: DecideTransfer | undefined;
  /** Whose wire the call goes over. */
  carrier: CarrierName;
}

export interface ServedBot {
  readonly answerUrl: string;
  readonly hangupUrl: string;
  /** What the bot threw, once it did. */
  readonly error: Error | undefined;
  /** Why the call is over, once it is. */
  readonly endReason: EndReason;
  close(): Promise<void>;
}

/**
 * Answers one call on this machine with a bot of this process: the first document connects it, the one after its stream
 * hangs up, unless the bot has asked for a transfer.
 */
export async function serveBot(
  bot: BotFunction,
  { body, query, direction, transfer, carrier: carrierName }: ServeBotOptions,
): Promise<ServedBot> {
  let error: Error | undefined;
  /** For the stream of a caller who is back from a transfer. */
  let comeback: ServeMessage['comeback'];
  /** What its bot has ended the call for. */
  let toldReason: BotEndReason | undefined;
  /** How its latest stream came to its end. */
  let outcome: StreamOutcome | undefined;
  const stage = new TransferStage(transfer);
  let call: ServedCall | undefined;
  const carrier = carrierByName(carrierName);
  const destination = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  /** The stream that the bot has not begun to read. */
  let waiting: WaitingStream | undefined;
  const host = new BotHost(
    async (args) => {
      try {
        await bot(args);
      } catch (thrown) {
        error = thrown instanceof Error ? thrown : new Error(String(thrown));
      }
    },
    (message) => onMessage(message),
  );

  function onMessage(message: MessageFromBot): void {
    if (message.type === 'ends_for') toldReason = message.reason;
    if (message.type === 'stream_over') {
      outcome = message.outcome;
      waiting?.end();
      waiting = undefined;
    }
    if (message.type === 'reading') connect(message.callId);
    if (message.type === 'consult') {
      const refusal = new VoicebotError('VB_TRANSFER_FAILED', 'no runner is there to dial');
      const problem = VoicebotError.fieldsOf(refusal, refusal.code);
      host.receive({ type: 'consult_answer', callId: message.callId, requestId: message.requestId, problem });
    }
    if (message.type !== 'transfer') return;
    try {
      stage.request(message.to);
      host.receive({ type: 'transfer_answer', callId: message.callId });
    } catch (refusal) {
      if (!(refusal instanceof VoicebotError)) throw refusal;
      host.receive({ type: 'transfer_answer', callId: message.callId, problem: refusal });
    }
  }

  function stepsFor(path: string, { event, providerCallId, from, to }: CarrierWebhook): AnswerStep[] {
    const callId = asCallId(providerCallId ?? '');
    const stream = (streamPath: string): AnswerStep[] => {
      const url = `${address.replace('http', 'ws')}${streamPath}`;
      return [{ do: 'stream', stream: { url, parameters: {}, continueUrl: `${address}/resume` } }];
    };
    if (event === 'hangup') {
      host.receive({ type: 'call_over', callId });
      return [];
    }
    if (path === '/answer') {
      call = callOf(callId, from, to, direction);
      return stream('/ws');
    }
    const transferred = stage.take();
    if (transferred?.status === 'answered') {
      host.receive({ type: 'transfer_over', callId, outcome: transferred });
      return stream('/destination');
    }
    comeback = transferred;
    return transferred && host.callCount > 0 ? stream('/ws') : [{ do: 'hangup' }];
  }

  function serve(stream: WaitingStream): void {
    waiting = stream;
    if (!call) throw new Error('a stream came before its call');
    host.receive({
      type: 'serve',
      callId: call.id,
      call,
      providerCallId: asProviderCallId(call.id),
      carrier: carrier.name,
      body,
      query,
      silenceMs: 0,
      limitMs: LIMIT_MS,
      ...(comeback && { comeback }),
    });
  }

  function connect(callId: CallId): void {
    if (!waiting) return;
    const { socket, head } = waiting.release();
    waiting = undefined;
    host.receive({ type: 'stream', callId, head: head.toString('base64') }, socket);
  }

  const server = createServer(async (request, response) => {
    const received = Buffer.concat(await request.toArray());
    const parameters = new Map(new URLSearchParams(received.toString()));
    const contentType = 'application/x-www-form-urlencoded';
    const webhook = carrier.parseWebhook({ parameters, body: received, contentType });
    response.setHeader('content-type', 'application/xml');
    response.end(carrier.answerDocument(stepsFor(request.url ?? '', webhook)));
  });
  server.on('upgrade', (request, socket, head) => {
    if (!(socket instanceof Socket)) return;
    if (request.url?.startsWith('/ws')) WaitingStream.answer(request, socket, head, serve);
    else destination.handleUpgrade(request, socket, head, () => {}); // of a transfer: listens and says nothing
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    answerUrl: `${address}/answer`,
    hangupUrl: `${address}/hangup`,
    get error() {
      return error;
    },
    get endReason() {
      if (error) return 'bot_crashed';
      return toldReason ?? (outcome ? REASONS[outcome] : 'caller_hung_up');
    },
    async close() {
      host.stop();
      waiting?.drop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The carrier knows the call as one that comes in; of an outbound one its caller is the number that was dialled. */
function callOf(id: CallId, caller: string | undefined, callee: string, direction: CallDirection): ServedCall {
  const [from, to] = direction === 'inbound' ? [caller, callee] : [callee, caller];
  return { id, direction, from, isWithheld: from === undefined, to: to ?? '', attempt: 1 };
}
