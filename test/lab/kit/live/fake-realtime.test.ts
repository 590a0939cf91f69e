import { once } from 'node:events';
import { WebSocket } from 'ws';
import { FakeRealtime } from '../../../../src/lab/kit/index.js';
import { hurried } from '../../../hasty-clock.js';
import { type Fields, openaiRealtime, turn, vendorRealtime } from './live-clients.js';

hurried();

const transcription = { model: 'gpt-4o-mini-transcribe' };
const session = { type: 'realtime', instructions: 'Be brief.', audio: { input: { transcription } } };

const errorsOf = (events: readonly Fields[]) =>
  events
    .filter(({ type }) => type === 'error')
    .map(({ error }) => error as { code: string; message: string; event_id: string | null; param: string | null });

describe('OpenAI’s realtime wire on loopback', () => {
  it('answers a turn of the caller that the vendor’s client sends, event by event', async () => {
    await using fake = await FakeRealtime.start({ texts: ['A table for two.'], replies: { text: 'For when?' } });
    await using client = await vendorRealtime(fake.baseUrl);
    client.send({ type: 'session.update', session });
    client.send({ type: 'input_audio_buffer.append', audio: turn(400, 600) });
    await client.until('rate_limits.updated');
    await client.until('conversation.item.input_audio_transcription.completed');
    const told = client.types.filter((type) => !type.includes('input_audio_transcription') && !type.endsWith('.delta'));
    expect(told).toEqual([
      'session.created',
      'session.updated',
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
      'rate_limits.updated',
    ]);
    expect(fake.items).toMatchObject([
      { role: 'user', text: 'A table for two.', audioMs: 1_000 },
      { role: 'assistant', text: 'For when?', audioMs: 540 },
    ]);
  });

  it('is understood by the ai package, whose client decides the turns', async () => {
    await using fake = await FakeRealtime.start({
      texts: ['A table for two.'],
      replies: [{ toolCalls: [{ name: 'book', input: { seats: 2 } }] }, { text: 'It is booked.' }],
    });
    await using client = await openaiRealtime(fake.baseUrl);
    const parameters = { type: 'object', properties: {} };
    const tools = [{ type: 'function', name: 'book', parameters }];
    const config = { turnDetection: { type: 'disabled' }, inputAudioTranscription: {}, tools };
    await client.send({ type: 'session-update', config });
    await client.send({ type: 'input-audio-append', audio: turn(400, 0) });
    await client.send({ type: 'input-audio-commit' });
    expect(await client.until('input-transcription-completed')).toMatchObject({ transcript: 'A table for two.' });
    await client.send({ type: 'response-create' });
    const call = await client.until('function-call-arguments-done');
    expect(call).toMatchObject({ name: 'book', arguments: '{"seats":2}' });
    await client.until('response-done');
    const item = { type: 'function-call-output', callId: call.callId, name: 'book', output: '{"ok":true}' };
    await client.send({ type: 'conversation-item-create', item });
    await client.send({ type: 'response-create' });
    expect(await client.until('audio-transcript-done')).toMatchObject({ transcript: 'It is booked.' });
    expect(await client.until('response-done', 2)).toMatchObject({ status: 'completed', usage: { inputTokens: 200 } });
    expect(fake.items.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call_output', 'message']);
    expect(client.types).not.toContain('error');
  });

  it('remembers of an answer what the client says that the caller has heard', async () => {
    await using fake = await FakeRealtime.start({ replies: { text: 'It is a very long answer.' } });
    await using client = await vendorRealtime(fake.baseUrl);
    client.send({ type: 'response.create' });
    const { item_id } = await client.until('response.output_audio.delta', 5);
    client.send({ type: 'response.cancel' });
    expect(await client.until('response.done')).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'client_cancelled' } },
    });
    const truncate = { type: 'conversation.item.truncate', item_id, content_index: 0 };
    client.send({ ...truncate, audio_end_ms: 60_000, event_id: 'too-much' });
    client.send({ ...truncate, audio_end_ms: 300, event_id: 'right' });
    expect(await client.until('conversation.item.truncated')).toMatchObject({ audio_end_ms: 300 });
    expect(errorsOf(client.events)).toMatchObject([
      {
        message: expect.stringMatching(/^Audio content of \d+ms is already shorter than 60000ms$/),
        event_id: 'too-much',
      },
    ]);
    expect(fake.items).toMatchObject([{ text: 'It is', audioMs: 300, isTruncated: true }]);
  });

  it('stops to speak when the caller does, unless it was told not to', async () => {
    await using fake = await FakeRealtime.start({ replies: { text: 'It is a very long answer, as I said.' } });
    await using client = await vendorRealtime(fake.baseUrl);
    client.send({ type: 'response.create' });
    await client.until('response.output_audio.delta');
    client.send({ type: 'input_audio_buffer.append', audio: turn(200, 0) });
    expect(await client.until('response.done')).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'turn_detected' } },
    });
    const turn_detection = { type: 'server_vad', create_response: false, interrupt_response: false };
    client.send({ type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection } } } });
    client.send({ type: 'response.create' });
    await client.until('response.created', 2);
    client.send({ type: 'input_audio_buffer.append', audio: turn(200, 600) });
    await client.until('input_audio_buffer.committed');
    expect(await client.until('response.done', 2)).toMatchObject({ response: { status: 'completed' } });
    expect(fake.turns).toBe(2);
  });

  it.each([
    ['an unknown event', { type: 'session.begin' }, 'invalid_value', 'type'],
    [
      'an unknown field',
      { type: 'session.update', session: { type: 'realtime', voice: 'marin' } },
      'unknown_parameter',
      'session.voice',
    ],
    ['a missing field', { type: 'conversation.item.delete' }, 'missing_required_parameter', 'item_id'],
    ['a field of another kind', { type: 'input_audio_buffer.append', audio: 5 }, 'invalid_type', 'audio'],
    ['audio that is none', { type: 'input_audio_buffer.append', audio: '%%%' }, 'invalid_value', 'audio'],
    ['a commit of nothing', { type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty', null],
    ['a cancel of nothing', { type: 'response.cancel' }, 'response_cancel_not_active', null],
    ['an unknown item', { type: 'conversation.item.delete', item_id: 'x' }, 'item_delete_invalid_item_id', 'item_id'],
    [
      'a result of no function',
      { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'x', output: '' } },
      'invalid_tool_call_id',
      'item.call_id',
    ],
    [
      'a rate that it does not have',
      {
        type: 'session.update',
        session: { type: 'realtime', audio: { input: { format: { type: 'audio/pcm', rate: 8000 } } } },
      },
      'invalid_value',
      'session.audio.input.format.rate',
    ],
  ])('refuses %s', async (_name, event, code, param) => {
    await using fake = await FakeRealtime.start();
    await using client = await vendorRealtime(fake.baseUrl);
    client.send({ ...event, event_id: 'mine' });
    await client.until('error');
    expect(errorsOf(client.events)).toMatchObject([{ code, param, event_id: 'mine' }]);
  });

  it('speaks mu-law of 8 kHz when it is asked to', async () => {
    await using fake = await FakeRealtime.start({ replies: { text: 'Yes' } });
    await using client = await vendorRealtime(fake.baseUrl);
    const format = { type: 'audio/pcmu' };
    client.send({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { format }, output: { format } } },
    });
    client.send({ type: 'response.create' });
    await client.until('response.done');
    const deltas = client.events.filter(({ type }) => type === 'response.output_audio.delta');
    const bytes = deltas.map(({ delta }) => Buffer.from(delta as string, 'base64').length);
    expect(bytes).toEqual([800, 640]);
  });

  it('ends a session that has lasted too long, and refuses to begin one when it is told to', async () => {
    await using fake = await FakeRealtime.start();
    await using client = await vendorRealtime(fake.baseUrl);
    fake.expire();
    expect(await fake.session.closed).toBe(1001);
    expect(errorsOf(client.events)).toMatchObject([{ code: 'session_expired' }]);
    fake.refuse(429, 'Too many sessions.', 3);
    const socket = new WebSocket(fake.baseUrl.replace('http', 'ws').concat('/realtime?model=m'), {
      headers: { authorization: 'Bearer test' },
    });
    const [, response] = await once(socket, 'unexpected-response');
    expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '3']);
    response.destroy();
    expect(fake.refused).toBe(1);
  });
});
