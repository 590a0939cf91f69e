import { FakeGptLive } from '../../../../src/lab/kit/index.js';
import { gptLive, turn, vendorGptLive } from './live-clients.js';

const session = {
  model: 'gpt-live-1',
  instructions: 'Be brief.',
  audio: { format: { type: 'audio/pcm', rate: 24_000 } },
};

describe('GPT-Live’s wire on loopback', () => {
  it('listens and speaks at the pace of the vendor’s client', async () => {
    await using fake = await FakeGptLive.start({ texts: ['A table for two.'], replies: { text: 'For when?' } });
    await using client = vendorGptLive(fake.baseUrl);
    client.send({ type: 'session.start', event_id: 'begin', session });
    expect(await client.until('session.started')).toMatchObject({ client_event_id: 'begin', session: { ...session } });
    client.send({ type: 'session.input_audio.append', audio: turn(400, 600) });
    client.send({ type: 'session.input_audio.append', audio: turn(0, 700) });
    await client.until('session.output_audio.delta', 17);
    const said = client.events.filter(({ type }) => type === 'session.output_transcript.delta');
    expect(said).toMatchObject([
      { delta: 'For', start_ms: 800 },
      { delta: ' when?', start_ms: 1_000, end_ms: 1_400 },
    ]);
    const heard = client.events.filter(({ type }) => type === 'session.input_transcript.delta');
    expect(heard.map(({ delta }) => delta).join('')).toBe('A table for two.');
    expect(fake.items).toMatchObject([
      { role: 'user', text: 'A table for two.' },
      { role: 'assistant', text: 'For when?' },
    ]);
    client.send({ type: 'session.close' });
    expect(await client.until('session.closed')).toMatchObject({ reason: 'close_requested', usage: { seconds: 1.7 } });
    expect(client.types).not.toContain('error');
  });

  it('hands work to the ai package’s client, and says what came of it', async () => {
    await using fake = await FakeGptLive.start({ replies: { text: 'One moment.', delegates: true } });
    await using client = await gptLive(fake.baseUrl);
    await client.send({ type: 'session-start', config: { instructions: 'Be brief.' } });
    expect(await client.until('session-started')).toMatchObject({ delegationMode: 'client' });
    const silence = (ms: number) => client.send({ type: 'input-audio-append', audio: turn(0, ms) });
    await client.send({ type: 'input-audio-append', audio: turn(400, 600) });
    await silence(1_000);
    const { delegationId } = await client.until('delegation-created');
    const append = (channel: string, content: string) =>
      client.send({ type: 'context-append', content, delegationId, providerOptions: { openai: { channel } } });
    await append('thinking', 'The table is free.');
    await append('commentary', 'It is booked.');
    await client.until('command-acknowledged', 2);
    await silence(1_500);
    await client.until('audio-chunk', 35);
    const said = client.events.filter(({ type, speaker }) => type === 'transcript-fragment' && speaker === 'assistant');
    expect(said.map(({ delta }) => delta).join('')).toBe('One moment.It is booked.');
    expect(fake.session.context).toEqual([
      { channel: 'thinking', content: 'The table is free.', delegationId },
      { channel: 'commentary', content: 'It is booked.', delegationId },
    ]);
  });

  it('falls silent when the caller speaks, unless the caller is muted', async () => {
    await using fake = await FakeGptLive.start({ replies: { text: 'It is a very long answer, as I said.' } });
    await using client = vendorGptLive(fake.baseUrl);
    client.send({ type: 'session.start', session });
    client.send({ type: 'session.commentary.append', content: 'Hello, this is a long greeting.', delegation_id: null });
    client.send({ type: 'session.input_audio.mute', event_id: 'quiet' });
    client.send({ type: 'session.input_audio.append', audio: turn(400, 0) });
    expect(await client.until('session.input_audio.muted')).toMatchObject({ client_event_id: 'quiet' });
    client.send({ type: 'session.input_audio.unmute' });
    await client.until('session.input_audio.unmuted');
    expect(fake.session.isSpeaking).toBe(true);
    client.send({ type: 'session.input_audio.append', audio: turn(100, 0) });
    await client.until('session.output_audio.delta', 5);
    expect(fake.session.isSpeaking).toBe(false);
    expect(fake.items).toMatchObject([{ role: 'assistant', audioMs: 400, isTruncated: true }]);
  });

  it.each([
    ['an event before the first', { type: 'session.close' }, 'session_not_started'],
    ['an unknown event', { type: 'response.cancel' }, 'invalid_value'],
    ['an unknown field', { type: 'session.start', session: { ...session, voice: 'marin' } }, 'unknown_parameter'],
    [
      'a rate that it does not have',
      { type: 'session.start', session: { ...session, audio: { format: { type: 'audio/pcm', rate: 8_000 } } } },
      'invalid_value',
    ],
    [
      'context without a delegation or null',
      { type: 'session.thinking.append', content: 'x' },
      'missing_required_parameter',
    ],
  ])('refuses %s', async (_name, event, code) => {
    await using fake = await FakeGptLive.start();
    await using client = vendorGptLive(fake.baseUrl);
    client.send({ ...event, event_id: 'mine' });
    expect(await client.until('error')).toMatchObject({ error: { code, client_event_id: 'mine' } });
  });

  it('says how a session ended that has lasted too long', async () => {
    await using fake = await FakeGptLive.start();
    await using client = await gptLive(fake.baseUrl);
    await client.send({ type: 'session-start', config: {} });
    await client.until('session-started');
    fake.expire();
    expect(await client.until('session-closed')).toMatchObject({ reason: 'expired', usage: { seconds: 0 } });
  });
});
