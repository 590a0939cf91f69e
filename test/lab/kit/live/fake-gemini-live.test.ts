import { once } from 'node:events';
import { Modality } from '@google/genai';
import { WebSocket } from 'ws';
import { FakeGeminiLive } from '../../../../src/lab/kit/index.js';
import { hurried } from '../../../hasty-clock.js';
import { googleLive, turn, vendorGemini } from './live-clients.js';

hurried();

const config = { responseModalities: [Modality.AUDIO], inputAudioTranscription: {}, outputAudioTranscription: {} };
const speech = (speechMs: number, silenceMs: number) => ({
  audio: { data: turn(speechMs, silenceMs, 16_000), mimeType: 'audio/pcm;rate=16000' },
});

describe('Gemini’s live wire on loopback', () => {
  it('answers a turn of the caller that the vendor’s client sends', async () => {
    await using fake = await FakeGeminiLive.start({ texts: ['A table for two.'], replies: { text: 'For when?' } });
    await using client = await vendorGemini(fake.url, { ...config, systemInstruction: 'Be brief.' });
    client.session.sendRealtimeInput(speech(400, 600));
    const done = await client.until('turnComplete');
    expect(done).toMatchObject({ usageMetadata: { totalTokenCount: 300 } });
    const told = client.types.filter((type, index) => type !== client.types[index - 1]);
    expect(new Set(told)).toEqual(
      new Set([
        'setupComplete',
        'inputTranscription',
        'modelTurn',
        'outputTranscription',
        'generationComplete',
        'turnComplete',
      ]),
    );
    expect(fake.items).toMatchObject([
      { role: 'user', text: 'A table for two.' },
      { role: 'assistant', text: 'For when?', audioMs: 600 },
    ]);
  });

  it('has functions called by the vendor’s client, and takes back those that the caller has talked over', async () => {
    const call = { toolCalls: [{ name: 'book', input: { seats: 2 } }] };
    await using fake = await FakeGeminiLive.start({ replies: [call, { text: 'Done.' }, call, { text: 'Yes?' }] });
    const tools = [{ functionDeclarations: [{ name: 'book' }] }];
    await using client = await vendorGemini(fake.url, { ...config, tools });
    client.session.sendClientContent({ turns: [{ role: 'user', parts: [{ text: 'Book it.' }] }], turnComplete: true });
    const { toolCall } = (await client.until('toolCall')) as never as {
      toolCall: { functionCalls: Array<{ id: string }> };
    };
    expect(toolCall.functionCalls).toMatchObject([{ name: 'book', args: { seats: 2 } }]);
    const id = toolCall.functionCalls[0]?.id as string;
    client.session.sendToolResponse({ functionResponses: [{ id, name: 'book', response: { ok: true } }] });
    await client.until('turnComplete');
    client.session.sendRealtimeInput({ text: 'And another.' });
    await client.until('toolCall', 2);
    client.session.sendRealtimeInput(speech(200, 600));
    expect(await client.until('toolCallCancellation')).toMatchObject({
      toolCallCancellation: { ids: [expect.any(String)] },
    });
    await client.until('turnComplete', 2);
    expect(fake.items.map(({ type, role }) => `${role} ${type}`)).toEqual([
      'user message',
      'assistant function_call',
      'tool function_call_output',
      'assistant message',
      'user message',
      'assistant function_call',
      'user message',
      'assistant message',
    ]);
  });

  it('is understood by the ai package, falls silent when the caller speaks, and remembers what it has sent', async () => {
    await using fake = await FakeGeminiLive.start({
      texts: ['A table for two.', 'Wait!'],
      replies: [{ text: 'It is a very long answer, as I said.' }, { text: 'Yes?' }],
      betweenChunksMs: 100,
    });
    await using client = await googleLive(fake.baseUrl);
    const inputAudioFormat = { type: 'audio/pcm', rate: 16_000 };
    await client.send({
      type: 'session-update',
      config: { inputAudioFormat, inputAudioTranscription: {}, outputAudioTranscription: {} },
    });
    await client.until('session-created');
    await client.send({ type: 'input-audio-append', audio: turn(400, 600, 16_000) });
    await client.until('audio-delta', 3);
    await client.send({ type: 'input-audio-append', audio: turn(300, 600, 16_000) });
    await client.until('speech-started');
    await client.until('response-done', 2);
    expect(client.events.filter(({ type }) => type === 'input-transcription-completed').at(-1)).toMatchObject({
      transcript: 'Wait!',
    });
    const [, cut] = fake.items;
    expect(cut?.isTruncated).toBe(true);
    expect('It is a very long answer, as I said.'.startsWith(cut?.text as string)).toBe(true);
  });

  it('lets the client say when the caller speaks, when it was set up so', async () => {
    await using fake = await FakeGeminiLive.start({ texts: ['Hello.'], replies: { text: 'Hi.' } });
    const realtimeInputConfig = { automaticActivityDetection: { disabled: true } };
    await using client = await vendorGemini(fake.url, { ...config, realtimeInputConfig });
    client.session.sendRealtimeInput({ activityStart: {} });
    client.session.sendRealtimeInput(speech(400, 2_000));
    client.session.sendRealtimeInput({ activityEnd: {} });
    await client.until('turnComplete');
    expect(fake.items).toMatchObject([{ text: 'Hello.', audioMs: 2_400 }, { text: 'Hi.' }]);
    expect(fake.turns).toBe(1);
  });

  it('goes on with a conversation in another session, when it was asked to', async () => {
    await using fake = await FakeGeminiLive.start({ replies: { text: 'Hi.' } });
    await using first = await vendorGemini(fake.url, { ...config, sessionResumption: {} });
    first.session.sendRealtimeInput({ text: 'Hello.' });
    await first.until('turnComplete');
    const { sessionResumptionUpdate } = (await first.until('sessionResumptionUpdate')) as never as {
      sessionResumptionUpdate: { newHandle: string };
    };
    fake.session.goAway(10_000);
    expect(await first.until('goAway')).toMatchObject({ goAway: { timeLeft: '10s' } });
    const handle = sessionResumptionUpdate.newHandle;
    await using second = await vendorGemini(fake.url, { ...config, sessionResumption: { handle } });
    expect(second.types[0]).toBe('setupComplete');
    expect(fake.items).toMatchObject([{ text: 'Hello.' }, { text: 'Hi.' }]);
  });

  it.each([
    ['a message that it does not know', { setup: { model: 'm' } }, { hello: {} }],
    ['a field that it does not know', { setup: { model: 'm', voice: 'x' } }, undefined],
    ['a message before the setup', { realtimeInput: { text: 'x' } }, undefined],
    ['a second setup', { setup: { model: 'm' } }, { setup: { model: 'm' } }],
    ['a beginning of speech that it finds itself', { setup: { model: 'm' } }, { realtimeInput: { activityStart: {} } }],
    [
      'a result of no function',
      { setup: { model: 'm' } },
      { toolResponse: { functionResponses: [{ id: 'x', response: {} }] } },
    ],
  ])('closes the socket on %s', async (_name, first, second) => {
    await using fake = await FakeGeminiLive.start();
    const path = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
    const socket = new WebSocket(`${fake.url.replace('http', 'ws')}${path}?key=test`);
    await once(socket, 'open');
    socket.send(JSON.stringify(first));
    if (second) socket.send(JSON.stringify(second));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1007);
  });
});
