import type { PlaceCallRequest, SignedRequest } from '../../src/carriers/contract.js';
import { telnyxKeys } from './dialect-line.js';
import { createMessageMutator } from './message-mutator.js';
import { recordedMessage } from './plivo/recorded-messages.js';
import { type ReceivedRequest, ScriptedApi } from './plivo/scripted-api.js';
import { telnyxShaped } from './telnyx-shaped-dialect.js';

const streamId = '32de0dea-53cb-4b21-89a4-9e1819c043bc';
const callId = 'v3:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ';
const otherId = 'v3:MdI91X4lWFEs7IgbBEOT9M4AigoY08M0WWZFISt1Yw2axZ_IiE4pqg';

describe('messages', () => {
  const codec = telnyxShaped.createCodec(streamId);
  const decode = (message: object) => codec.decode(JSON.stringify(message));

  test('come in as the contract has them', () => {
    expect(codec.decode(recordedMessage('telnyx/connected'))).toEqual({ type: 'unknown', event: 'connected' });
    expect(codec.decode(recordedMessage('telnyx/start'))).toEqual({
      type: 'start',
      streamId,
      callId,
      format: { encoding: 'PCMU', sampleRate: 8000 },
      customParameters: {},
    });
    const start = JSON.parse(recordedMessage('telnyx/start'));
    start.start.media_format.encoding = 'L16';
    expect(decode(start)).toMatchObject({ type: 'unsupported', streamId, callId });
    expect(decode({ event: 'dtmf', dtmf: { digit: '#' } })).toEqual({ type: 'dtmf', digit: '#' });
    expect(decode({ event: 'error', payload: { title: 'Invalid media' } })).toEqual({
      type: 'error',
      detail: 'Invalid media',
    });
    expect(decode({ event: 'stop', stream_id: streamId })).toEqual({ type: 'stop' });
  });

  test('of audio that come after their successors are left out', () => {
    const types = ['1', '2', '4', '3', '5'].map((chunk) => {
      return decode({ event: 'media', stream_id: streamId, media: { track: 'inbound', chunk, payload: '/w==' } }).type;
    });
    expect(types).toEqual(['audio', 'audio', 'audio', 'unknown', 'audio']);
  });

  test('go out so that the same words come back', () => {
    const payload = Buffer.from([0, 127, 128, 255]);
    expect(JSON.parse(codec.encodeAudio(payload))).toEqual({ event: 'media', media: { payload: 'AH+A/w==' } });
    expect(codec.decode(codec.encodeAudio(payload))).toEqual({ type: 'audio', payload });
    expect(codec.decode(codec.encodeMark('utt-3 "end"'))).toEqual({ type: 'mark', name: 'utt-3 "end"' });
    expect(JSON.parse(codec.encodeClear())).toEqual({ event: 'clear' });
    expect(codec.encodeDtmf('1')).toBeUndefined();
  });

  test('never make decode throw, however damaged', () => {
    const seeds = [
      recordedMessage('telnyx/start'),
      codec.encodeAudio(Buffer.alloc(160)),
      codec.encodeMark('a'),
      '{"event":"dtmf","dtmf":{"digit":"1"}}',
      '{"event":"error","payload":{"title":"Invalid media"}}',
    ];
    const next = createMessageMutator(seeds, 1);
    for (let count = 0; count < 2_000; count += 1) expect(typeof codec.decode(next()).type).toBe('string');
  });
});

test('a stream has its parameters in the query and both directions in mu-law', () => {
  const stream = {
    url: 'wss://a.dev/ws',
    parameters: { call_id: callId, token: 'x' },
    continueUrl: 'https://a.dev/resume?a=1&b=2',
  };
  expect(telnyxShaped.answerDocument([{ do: 'stream', stream }, { do: 'hangup' }])).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Response>' +
      `<Connect><Stream url="wss://a.dev/ws?call_id=${callId.replace(':', '%3A')}&amp;token=x" codec="PCMU" ` +
      'bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>' +
      '<Redirect method="POST">https://a.dev/resume?a=1&amp;b=2</Redirect><Hangup/></Response>',
  );
});

describe('signatures', () => {
  const text = '{"data":{"event_type":"call.hangup"}}';
  const { signed, publicKey } = telnyxKeys();
  const verify = (change: Partial<SignedRequest> = {}, keys: { publicKey?: string } = { publicKey }) =>
    telnyxShaped.verifyWebhook(
      {
        method: 'POST',
        url: 'https://a.dev/hangup',
        form: [],
        body: Buffer.from(text),
        headers: signed(text),
        ...change,
      },
      { authToken: 'KEY0123', ...keys },
    );

  test('cover the bytes of the body, each of them', () => {
    expect(verify()).toBe(true);
    for (let at = 0; at < text.length; at += 1) {
      const body = Buffer.from(text);
      body.writeUInt8(body.readUInt8(at) ^ 1, at);
      expect(verify({ body })).toBe(false);
    }
    expect(verify({ body: Buffer.from(JSON.stringify(JSON.parse(text), null, 1)) })).toBe(false);
  });

  test('are good for five minutes', () => {
    const now = Math.floor(Date.now() / 1_000);
    const at = (stamp: string) => verify({ headers: signed(text, stamp) });
    expect([-290, 290].map((offset) => at(String(now + offset)))).toEqual([true, true]);
    expect([-310, 310].map((offset) => at(String(now + offset)))).toEqual([false, false]);
    expect(['', 'now', '1e9', `${now} `].map(at)).toEqual([false, false, false, false]);
    expect(verify({ headers: { ...signed(text), 'telnyx-timestamp': String(now - 1) } })).toBe(false);
  });

  test("are checked with the carrier's key, and refused without one", () => {
    expect(verify({}, telnyxKeys())).toBe(false);
    for (const keys of [{}, { publicKey: '' }, { publicKey: 'AAAA' }]) expect(verify({}, keys)).toBe(false);
    expect(verify({ headers: {} })).toBe(false);
  });
});

describe('webhooks', () => {
  const payload = { call_control_id: callId, from: '+12025550101', to: '+12025550100', direction: 'incoming' };
  const parse = (body: string, contentType = 'application/json') =>
    telnyxShaped.parseWebhook({ parameters: new Map(), body: Buffer.from(body), contentType });
  const event = (event_type: string, more: object = {}) =>
    parse(JSON.stringify({ data: { event_type, payload: { ...payload, ...more } } }));

  test('in JSON name the call, the numbers and the reason of its end', () => {
    const times = { start_time: '2026-01-01T10:00:00.000Z', end_time: '2026-01-01T10:00:03.500Z' };
    expect(event('call.hangup', { ...times, hangup_cause: 'user_busy', hangup_source: 'callee' })).toEqual({
      event: 'hangup',
      callId,
      from: '+12025550101',
      to: '+12025550100',
      direction: 'inbound',
      hangup: { reason: 'busy', cause: 'user_busy', source: 'callee', durationMs: 3_500 },
    });
    expect(event('call.machine.detection.ended', { result: 'machine' })).toMatchObject({
      event: 'machine_detection',
      isMachine: true,
    });
    expect(event('streaming.failed', { failure_reason: 'connection_failed' }).streamProblem).toBe('connection_failed');
    expect(event('call.playback.started').event).toBe('other');
  });

  test('in a form are those of TeXML', () => {
    const fields = new URLSearchParams({ CallSid: callId, CallStatus: 'ringing', From: '+12025550101', To: '+1' });
    const form = parse(`${fields}`, 'application/x-www-form-urlencoded');
    expect(form).toMatchObject({ event: 'answer', callId, direction: 'inbound' });
  });

  test('count by their signed body alone', () => {
    const webhook = telnyxShaped.parseWebhook({
      parameters: new Map([['CallSid', callId]]),
      body: Buffer.alloc(0),
      contentType: '',
    });
    expect(webhook.callId).toBeUndefined();
  });

  test.each(['', 'null', '[]', '{"data":7}', '{"data":{"payload":[]}}', '{'])('name no call in %j', (body) => {
    expect(parse(body)).toMatchObject({ event: 'other', callId: undefined });
  });

  test('in JSON are never too damaged to be read', () => {
    const damaged = createMessageMutator(
      [JSON.stringify({ data: { event_type: 'call.hangup', payload: { ...payload, hangup_cause: 'timeout' } } })],
      1,
    );
    for (let count = 0; count < 2_000; count += 1) expect(typeof parse(damaged()).event).toBe('string');
  });

  test.each(['v3:../x', 'v3:', 'v3:a/b', '../Account', 7])('take %j for no identifier', (id) => {
    expect(event('call.hangup', { call_control_id: id }).callId).toBeUndefined();
  });
});

describe('requests', () => {
  const request: PlaceCallRequest = {
    from: '+12025550100',
    to: '+12025550101',
    answerUrl: 'https://a.dev/answer?body=x',
    ringUrl: 'https://a.dev/ring',
    hangupUrl: 'https://a.dev/hangup',
    machineUrl: 'https://a.dev/machine',
    machineDetection: 'off',
    ringTimeoutS: 45,
    timeLimitS: 900,
  };

  /** An account with one number and one live call. */
  const reply = ({ method, url }: ReceivedRequest) => {
    const ok = (body: object) => ({ status: 200, body: JSON.stringify(body) });
    if (url.includes('phone_numbers')) return ok({ data: [{ connection_id: '1234567890' }] });
    const calls = ['in-progress', 'completed'].map((status, at) => ({ sid: [callId, otherId][at], status }));
    if (method === 'GET') return ok({ calls: [...calls, { sid: '../x', status: 'queued' }] });
    if (!url.includes(otherId)) return ok({ sid: callId });
    return { status: 422, body: JSON.stringify({ errors: [{ code: '90018', title: 'Call has already ended' }] }) };
  };
  const connect = (api: ScriptedApi) =>
    telnyxShaped.createRestClient({ authId: 'account', authToken: 'KEY0123', apiUrl: api.url });

  test('place, find, transfer and end calls, and set the webhooks of an application', async () => {
    await using api = await ScriptedApi.listen(reply);
    const client = await connect(api);
    expect(await client.placeCall(request)).toEqual({ callId });
    expect(await client.findCalls(request)).toEqual([callId]);
    expect(await client.transfer(callId, 'https://a.dev/transfer')).toBe('transferring');
    expect(await client.transfer(otherId, 'https://a.dev/transfer')).toBe('no_such_call');
    expect(await client.hangUp(callId)).toBe('ended');
    expect(await client.hangUp(otherId)).toBe('already_ended');
    await client.setWebhooks('1234567890', { answerUrl: request.answerUrl, hangupUrl: request.hangupUrl });
    await expect(client.hangUp('../x')).rejects.toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
    await expect(client.setWebhooks('../x', request)).rejects.toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
    await client.close();

    expect(api.requests.every(({ headers }) => headers.authorization === 'Bearer KEY0123')).toBe(true);
    const sent = api.requests.filter(({ method }) => method !== 'GET');
    expect(sent.map(({ method, url, body }) => [method, url.slice('/v1/'.length), JSON.parse(body)])).toEqual([
      [
        'POST',
        'texml/Accounts/account/Calls',
        {
          ApplicationSid: '1234567890',
          From: '+12025550100',
          To: '+12025550101',
          Url: request.answerUrl,
          StatusCallback: request.ringUrl,
          StatusCallbackEvent: 'ringing completed',
          Timeout: 45,
          TimeLimit: 900,
        },
      ],
      ['POST', `texml/Accounts/account/Calls/${callId}`, { Url: 'https://a.dev/transfer', Method: 'POST' }],
      ['POST', `texml/Accounts/account/Calls/${otherId}`, { Url: 'https://a.dev/transfer', Method: 'POST' }],
      ['POST', `calls/${callId}/actions/hangup`, {}],
      ['POST', `calls/${otherId}/actions/hangup`, {}],
      ['PATCH', 'texml_applications/1234567890', { voice_url: request.answerUrl, status_callback: request.hangupUrl }],
    ]);
  });

  test('fail as the contract says', async () => {
    const place = async (status: number) => {
      await using api = await ScriptedApi.listen((received) =>
        received.method === 'GET' ? reply(received) : { status, body: '<html>' },
      );
      return await (await connect(api)).placeCall(request);
    };
    await expect(place(401)).rejects.toMatchObject({ code: 'VB_CREDENTIALS_REFUSED' });
    await expect(place(422)).rejects.toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 422 });
    await expect(place(503)).rejects.toMatchObject({ code: 'VB_CALL_UNCERTAIN' });
    await expect(place(200)).rejects.toMatchObject({ code: 'VB_CALL_UNCERTAIN' });
  });
});
