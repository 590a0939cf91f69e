import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { VoicebotError } from '../../base/errors.js';
import type { CallInfo, EndReason } from '../../call/call.js';
import type { ConsultLeg } from '../../call/consult.js';
import { DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { CarrierFrameSerializer } from '../transports/stream/carrier-frame-serializer.js';
import { WebSocketTransport } from '../transports/stream/websocket-transport.js';
import type { CheckedParts } from './bot-parts.js';
import { Call } from './call.js';
import { openTransport } from './open-transport.js';

/** Custom data is of the call beside which the other one was dialled. */
type LegParts = Omit<CheckedParts<never>, 'checkBody'>;

/**
 * The call with somebody whom a bot consults, with the speech services of that bot: resolves when the callee has answered. When they have
 * not, resolves with a call that is over, for the reason that its `ended` gives.
 * @throws VoicebotError when its media cannot be used
 */
export async function openConsulted(leg: ConsultLeg, parts: LegParts): Promise<Call> {
  const reached = await leg.reached;
  if ('reason' in reached) return lostCall(leg.call, reached.reason, parts);
  const { args, done } = reached;
  try {
    const transport = await openTransport(args, parts);
    const call = new Call(args, {}, transport, parts, (other) => openConsulted(other, parts));
    void call.ended.then(() => done(call.failure));
    return await call.start();
  } catch (error) {
    const hasHungUp = error instanceof VoicebotError && error.code === 'VB_STREAM_CLOSED';
    done(hasHungUp ? undefined : error);
    if (!hasHungUp) throw error;
    return lostCall(leg.call, 'caller_hung_up', parts);
  }
}

/** A call that came to nothing: it stands on a stream that was never open. */
function lostCall(call: CallInfo, reason: EndReason, parts: LegParts): Call {
  const websocket = Object.assign(new WebSocket(null), { _readyState: WebSocket.CLOSED });
  const serializer = new CarrierFrameSerializer({ carrier: DEFAULT_CARRIER, streamId: '', callId: randomUUID() });
  const transport = new WebSocketTransport(websocket, { serializer });
  const { signal } = new AbortController();
  const args = { transport: 'carrier', websocket, body: {}, query: {}, call, signal } as const;
  const lost = new Call(args, {}, transport, parts, (leg) => openConsulted(leg, parts));
  lost.lost(reason);
  return lost;
}
