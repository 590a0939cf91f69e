import { FakeXai } from '../../../../src/lab/kit/index.js';
import { turn, xaiRealtime } from './live-clients.js';

describe('xAI’s realtime wire on loopback', () => {
  it('is understood by the ai package, which connects with a secret', async () => {
    await using fake = await FakeXai.start({
      apiKey: 'test',
      texts: ['A table for two.'],
      replies: { text: 'For when?' },
    });
    await using client = await xaiRealtime(fake.baseUrl);
    const format = { type: 'audio/pcm', rate: 8_000 };
    const turnDetection = { type: 'server-vad', silenceDurationMs: 300 };
    const config = { instructions: 'Be brief.', inputAudioFormat: format, outputAudioFormat: format, turnDetection };
    await client.send({ type: 'session-update', config });
    await client.send({ type: 'input-audio-append', audio: turn(400, 400, 8_000) });
    expect(await client.until('input-transcription-completed')).toMatchObject({ transcript: 'A table for two.' });
    expect(await client.until('audio-transcript-done')).toMatchObject({ transcript: 'For when?' });
    await client.until('response-done');
    const deltas = client.events.filter(({ type }) => type === 'audio-delta').map(({ delta }) => delta as string);
    expect(deltas.map((delta) => Buffer.from(delta, 'base64').length)).toEqual([
      1_600, 1_600, 1_600, 1_600, 1_600, 640,
    ]);
    expect(client.types).not.toContain('error');
  });

  it('does not take back what the caller has not heard', async () => {
    await using fake = await FakeXai.start({ replies: { text: 'For when?' } });
    await using client = await xaiRealtime(fake.baseUrl);
    await client.send({ type: 'response-create' });
    const { itemId } = await client.until('audio-delta');
    await client.until('response-done');
    const truncate = { type: 'conversation.item.truncate', item_id: itemId, content_index: 0, audio_end_ms: 100 };
    client.socket.send(JSON.stringify(truncate));
    expect(await client.until('error')).toMatchObject({ code: 'invalid_value' });
    expect(fake.items).toMatchObject([{ text: 'For when?', isTruncated: false }]);
  });

  it('refuses a secret, with the time after which one may be had', async () => {
    await using fake = await FakeXai.start();
    fake.refuse(429, 'Too many.', 2);
    await expect(xaiRealtime(fake.baseUrl)).rejects.toThrow('429');
    const response = await fetch(`${fake.baseUrl}/realtime/client_secrets`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
  });
});
