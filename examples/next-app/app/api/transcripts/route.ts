import { follow } from '../../../lib/call-events';

/** The events of one call as they come: `GET /api/transcripts?call=<id>`, server-sent events. */
export function GET(request: Request): Response {
  const callId = new URL(request.url).searchParams.get('call') ?? '';
  const encoder = new TextEncoder();
  let unfollow = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      send(': open\n\n');
      unfollow = follow(callId, (event) => send(`data: ${JSON.stringify(event)}\n\n`));
    },
    cancel: () => unfollow(),
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
}
