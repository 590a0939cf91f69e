import { Webhook } from 'standardwebhooks';
import { type CallEvent, publish } from '../../../lib/call-events';

interface ToldEvent {
  readonly type: string;
  readonly data: {
    readonly callId: string;
    readonly caller?: string;
    readonly bot?: string;
    readonly call?: { endReason?: string };
  };
}

/** Receives what the runner tells of its calls. */
export async function POST(request: Request): Promise<Response> {
  const body = await request.text(); // as it came: the signature covers every byte
  let event: ToldEvent;
  try {
    const webhook = new Webhook(process.env.VOICEBOT_EVENTS_SECRET ?? '');
    event = webhook.verify(body, Object.fromEntries(request.headers)) as ToldEvent;
  } catch {
    return new Response(null, { status: 400 });
  }
  const { callId, caller, bot, call } = event.data;
  const id = request.headers.get('webhook-id') ?? '';
  publish({ id, callId, type: event.type, caller, bot, endReason: call?.endReason } satisfies CallEvent);
  return new Response(null, { status: 204 });
}
