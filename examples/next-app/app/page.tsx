'use client';

import { type FormEvent, useEffect, useState } from 'react';
import type { CallEvent } from '../lib/call-events';

export default function Page() {
  const [callId, setCallId] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [events, setEvents] = useState<CallEvent[]>([]);

  useEffect(() => {
    if (callId === undefined) return;
    setEvents([]);
    const source = new EventSource(`/api/transcripts?call=${encodeURIComponent(callId)}`);
    source.onmessage = ({ data }) => {
      const event = JSON.parse(data) as CallEvent;
      // A connection that broke begins again from the start.
      setEvents((known) => (known.some(({ id }) => id === event.id) ? known : [...known, event]));
      if (event.type === 'call.ended') source.close();
    };
    return () => source.close();
  }, [callId]);

  async function call(submitted: FormEvent<HTMLFormElement>) {
    submitted.preventDefault();
    setProblem(undefined);
    const to = new FormData(submitted.currentTarget).get('to');
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/api/calls', { method: 'POST', headers, body: JSON.stringify({ to }) });
    const answer = (await response.json()) as { callId?: string; message?: string };
    if (response.ok) setCallId(answer.callId);
    else setProblem(answer.message);
  }

  return (
    <main>
      <h1>Calls with voicebot</h1>
      <form onSubmit={call}>
        <label>
          Number <input name="to" type="tel" required defaultValue="+12025550101" />
        </label>{' '}
        <button type="submit">Call</button>
      </form>
      {problem && <p role="alert">{problem}</p>}
      <div aria-live="polite">
        {events.map((event) => (
          <Told key={event.id} {...event} />
        ))}
      </div>
    </main>
  );
}

function Told({ type, caller, bot, endReason }: CallEvent) {
  if (type !== 'turn.ended') return <p style={{ color: 'gray' }}>{endReason ? `${type}: ${endReason}` : type}</p>;
  return (
    <>
      {caller && <p>Caller: {caller}</p>}
      {bot && <p>Bot: {bot}</p>}
    </>
  );
}
