const RUNNER = process.env.VOICEBOT_URL ?? 'http://127.0.0.1:7860';

/** Places a call. The runner's token stays on this server. Ask who wants the call, before you put this on the internet. */
export async function POST(request: Request): Promise<Response> {
  // A page of another origin cannot send this type without asking first, which nothing here allows.
  if (request.headers.get('content-type') !== 'application/json') return new Response(null, { status: 415 });
  const { to } = (await request.json()) as { to?: unknown };
  const token = process.env.VOICEBOT_TOKEN;
  const answer = await fetch(`${RUNNER}/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ phone_number: to }),
  }).catch(() => undefined);
  if (!answer) return Response.json({ message: 'The runner is not there: npm run bot' }, { status: 503 });
  const said = (await answer.json()) as { call_id?: string; error?: { message: string } };
  if (!answer.ok) return Response.json({ message: said.error?.message }, { status: answer.status });
  return Response.json({ callId: said.call_id }, { status: 202 });
}
