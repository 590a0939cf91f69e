import { fileURLToPath } from 'node:url';
import type { Carrier, PlaceCallRequest, SignedRequest } from '../../src/providers/carrier.js';
import { carrierByName, carriers, recogniseStream } from '../../src/providers/registry/carriers.js';
import { parseXml } from '../../src/sandbox/carrier/xml.js';
import { RUNNER_TOKEN, RunnerUnderTest } from '../runner/runner-under-test.js';
import {
  bodySigningLine,
  type DialectLine,
  LineStream,
  type News,
  post,
  refusedUpgrade,
  twilioLine,
} from './dialect-line.js';
import { createMessageMutator } from './message-mutator.js';
import { recordedMessage } from './plivo/recorded-messages.js';
import { type ReceivedRequest, ScriptedApi } from './plivo/scripted-api.js';
import { twilioShaped, twilioSignature } from './twilio-shaped-dialect.js';

const streamId = 'MZ18ad3ab5a668481ce02b83e7395059f0';
const callId = 'CA5d41402abc4b2a76b9719d911017c592';
const legId = 'CA00000000000000000000000000000002';
const codec = twilioShaped.createCodec(streamId);

test('another carrier is one more line of the registry', () => {
  const all = { ...carriers, twilio: twilioShaped } as const satisfies Readonly<Record<string, Carrier>>;
  // All but the one that a carrier may lack.
  const optional = ['trialWebhook', 'webhookNonce'];
  const membersOf = (carrier: Carrier) => Object.keys(carrier).filter((member) => !optional.includes(member));
  for (const carrier of Object.values(all)) {
    expect(membersOf(carrier).sort()).toEqual(membersOf(carriers.plivo).sort());
    expect(Object.keys(carrier.capabilities).sort()).toEqual(Object.keys(carriers.plivo.capabilities).sort());
  }
});

test.each(['twilio', 'telnyx', 'exotel'])(
  '%s is recognised by its stream, and refused while it has no codec',
  (name) => {
    const frames = ['connected', 'start'].map((message) => recordedMessage(`${name}/${message}`));
    expect(recogniseStream(frames)).toMatchObject({ carrier: name });
    expect(() => carrierByName(name)).toThrow(
      expect.objectContaining({ code: 'VB_CARRIER_UNSUPPORTED', hint: expect.stringContaining('plivo') }),
    );
  },
);

describe.each([twilioLine(), bodySigningLine()])('through the runner, $title', (line: DialectLine) => {
  const { carrier } = line;
  const codec = carrier.createCodec(line.streamId);
  const tell = (url: string, news: News) => post(url, news, line.signed(url, news));

  test('a call goes from our request to its end', async () => {
    await using api = await ScriptedApi.listen(line.reply);
    await using served = await RunnerUnderTest.start({
      carrier,
      credentials: { ...line.credentials, apiUrl: api.url },
      botFile: fileURLToPath(new URL('echo-bot.mjs', import.meta.url)),
      silenceSeconds: 0, // the bot's process looks its carrier's codec up in the registry to hear silence
    });

    const body = { name: 'Ada', history: 'x'.repeat(600) };
    const started = await fetch(`${served.runner.url}/start?campaign_id=spring`, {
      method: 'POST',
      headers: { authorization: `Bearer ${RUNNER_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ phone_number: '+12025550101', body }),
    });
    const { call_id: id, carrier_call_id } = (await started.json()) as Record<string, string>;
    expect([started.status, carrier_call_id]).toEqual([202, line.callId]);
    const { Url: answerUrl = '', StatusCallback: newsUrl = '' } = line.placed(api.requests.at(-1)?.body ?? '');

    await tell(newsUrl, line.ringing);
    await served.record(id as string, { state: 'ringing' });

    expect(await post(answerUrl, line.wantsDocument, {})).toMatchObject({ status: 403 });
    const forged = { ...line.wantsDocument, body: `${line.wantsDocument.body}&More=1` };
    expect(await post(answerUrl, forged, line.signed(answerUrl, line.wantsDocument))).toMatchObject({ status: 403 });
    const answer = await tell(answerUrl, line.wantsDocument);
    const [connect, redirect] = parseXml(answer.body).children;
    const streamUrl = connect?.children[0]?.attributes.get('url') ?? '';
    const { pathname, searchParams, search } = new URL(streamUrl);
    const { token = pathname.split('/')[3], call_id = pathname.split('/')[2] } = Object.fromEntries(searchParams);
    expect([call_id, search !== '']).toEqual([id, carrier.capabilities.allowsStreamQuery]);
    expect(token).toMatch(/^[\w-]{32}$/);

    const otherPass = streamUrl.replace(token as string, 'A'.repeat(32));
    expect(await refusedUpgrade(otherPass, line.signedUpgrade(otherPass))).toBe(403);
    const signsUpgrades = !carrier.verifyUpgrade({ url: streamUrl, headers: {} }, line.credentials);
    if (signsUpgrades) expect(await refusedUpgrade(streamUrl, {})).toBe(403);
    const stream = await LineStream.open(line, streamUrl);
    expect(JSON.parse(await stream.received.next())).toEqual({
      event: 'hello',
      call: { id, direction: 'outbound', from: '+12025550100', to: '+12025550101', attempt: 1 },
      body,
      query: { campaign_id: 'spring' },
    });
    const payload = Buffer.alloc(160, 0x55);
    stream.socket.send(line.says('media', { track: 'inbound', chunk: '1', payload: payload.toString('base64') }));
    expect(codec.decode(await stream.received.next())).toEqual({ type: 'audio', payload });
    expect(await refusedUpgrade(streamUrl, line.signedUpgrade(streamUrl))).toBe(403);
    stream.socket.send(line.says('dtmf', { digit: '#' }));
    expect(await stream.closed).toBe(1000);

    const last = await tell(redirect?.text ?? '', line.wantsDocument);
    expect(parseXml(last.body).children.map(({ name }) => name)).toEqual(['Hangup']);
    expect(await post(newsUrl, line.completed, line.signed(newsUrl, line.ringing))).toMatchObject({ status: 403 });
    for (const _ of ['once', 'and again']) expect(await tell(newsUrl, line.completed)).toMatchObject({ status: 200 });
    const ended = { id, direction: 'outbound', state: 'ended', endReason: 'bot_ended' };
    expect(await served.record(id as string, { state: 'ended' })).toMatchObject(ended);
    const calls = await fetch(`${served.runner.url}/calls`, { headers: { authorization: `Bearer ${RUNNER_TOKEN}` } });
    expect(await calls.json()).toMatchObject({ calls: [ended] });
  });
});

test('a caller whose document a dialect cannot write hears the recorded line', async () => {
  const line = twilioLine();
  const answerDocument: Carrier['answerDocument'] = (steps) => {
    if (steps.some((step) => step.do === 'stream')) throw new Error('no stream');
    return twilioShaped.answerDocument(steps);
  };
  await using served = await RunnerUnderTest.start({
    carrier: { ...twilioShaped, answerDocument },
    credentials: { ...line.credentials, apiUrl: 'http://127.0.0.1:1' },
  });
  const url = served.runner.addresses.answerUrl;
  const { status, body } = await post(url, line.wantsDocument, line.signed(url, line.wantsDocument));
  expect([status, parseXml(body).children.map(({ name }) => name)]).toEqual([200, ['Play', 'Hangup']]);
});

describe('messages', () => {
  const decode = (message: object) => codec.decode(JSON.stringify(message));

  test('come in as the contract has them', () => {
    expect(codec.decode(recordedMessage('twilio/connected'))).toEqual({ type: 'unknown', event: 'connected' });
    expect(codec.decode(recordedMessage('twilio/start'))).toEqual({
      type: 'start',
      streamId,
      callId,
      format: { encoding: 'PCMU', sampleRate: 8000 },
    });
    const start = JSON.parse(recordedMessage('twilio/start'));
    start.start.mediaFormat.encoding = 'audio/l16';
    expect(decode(start)).toMatchObject({ type: 'unsupported', streamId, callId });
    expect(decode({ event: 'dtmf', streamSid: streamId, dtmf: { track: 'inbound_track', digit: '#' } })).toEqual({
      type: 'dtmf',
      digit: '#',
    });
    expect(decode({ event: 'stop', stop: { callSid: callId } })).toEqual({ type: 'stop' });
    expect(decode({ event: 'media', media: { track: 'outbound', payload: 'AA==' } })).toMatchObject({
      type: 'unknown',
    });
  });

  test('go out so that the same words come back', () => {
    const payload = Buffer.from([0, 127, 128, 255]);
    const audio = JSON.parse(codec.encodeAudio(payload));
    expect(audio).toEqual({ event: 'media', streamSid: streamId, media: { payload: 'AH+A/w==' } });
    expect(decode(audio)).toEqual({ type: 'audio', payload });
    expect(codec.decode(codec.encodeMark('utt-3 "end"'))).toEqual({ type: 'mark', name: 'utt-3 "end"' });
    expect(JSON.parse(codec.encodeClear())).toEqual({ event: 'clear', streamSid: streamId });
    expect(codec.encodeDtmf('1')).toBeUndefined();
  });

  test('never make decode throw, however damaged', () => {
    const next = createMessageMutator(
      [recordedMessage('twilio/start'), recordedMessage('twilio/connected'), codec.encodeAudio(Buffer.alloc(160))],
      1,
    );
    for (let count = 0; count < 2_000; count += 1) expect(typeof codec.decode(next()).type).toBe('string');
  });
});

describe('documents', () => {
  const write = twilioShaped.answerDocument;
  const stream = { url: 'wss://a.dev/ws/pass', parameters: {}, continueUrl: 'https://a.dev/resume?a=1&b=2' };
  const response = (inside: string) => `<?xml version="1.0" encoding="UTF-8"?><Response>${inside}</Response>`;

  test('have every step of the contract', () => {
    const parameters = { user_id: '17', name: 'A & "B"' };
    const statusUrl = 'https://a.dev/s?x=1&y=2';
    expect(write([{ do: 'stream', stream: { ...stream, parameters, statusUrl } }])).toBe(
      response(
        '<Connect><Stream url="wss://a.dev/ws/pass" statusCallback="https://a.dev/s?x=1&amp;y=2">' +
          '<Parameter name="user_id" value="17"/><Parameter name="name" value="A &amp; &quot;B&quot;"/></Stream></Connect>' +
          '<Redirect method="POST">https://a.dev/resume?a=1&amp;b=2</Redirect>',
      ),
    );
    const dial = {
      to: '+12025550101',
      callerId: '+12025550100',
      ringTimeoutS: 30,
      timeLimitS: 900,
      outcomeUrl: 'https://a.dev/ended',
      statusUrl: 'https://a.dev/status',
    };
    expect(write([{ do: 'dial', dial }])).toBe(
      response(
        '<Dial callerId="+12025550100" timeout="30" timeLimit="900" action="https://a.dev/ended" method="POST">' +
          '<Number statusCallbackEvent="answered completed" statusCallback="https://a.dev/status">+12025550101</Number></Dial>',
      ),
    );
    expect(write([{ do: 'play', url: 'https://a.dev/x.wav' }, { do: 'speak', text: 'a < b' }, { do: 'hangup' }])).toBe(
      response('<Play>https://a.dev/x.wav</Play><Say>a &lt; b</Say><Hangup/>'),
    );
    expect(write([{ do: 'hangup', reason: 'busy' }])).toBe(response('<Reject reason="busy"/>'));
  });

  test('refuse a query, and leave out parameters that are too long', () => {
    const refused = expect.objectContaining({ code: 'VB_XML_INVALID' });
    expect(twilioShaped.capabilities.allowsStreamQuery).toBe(false);
    expect(() => write([{ do: 'stream', stream: { ...stream, url: 'wss://a.dev/ws?pass=1' } }])).toThrow(refused);
    const body = (length: number) => ({ ...stream, parameters: { body: 'x'.repeat(length) } });
    expect(write([{ do: 'stream', stream: body(496) }])).toContain('<Parameter name="body"');
    expect(write([{ do: 'stream', stream: body(497) }])).toContain('></Stream>');
  });
});

describe('signatures', () => {
  const token = '12345';
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const form: [string, string][] = [
    ['Digits', '1234'],
    ['To', '+18005551212'],
    ['From', '+14158675309'],
    ['Caller', '+14158675309'],
    ['CallSid', 'CA1234567890ABCDE'],
  ];
  const signed = (address: string, fields: [string, string][] = []) => ({
    'x-twilio-signature': twilioSignature(address, fields, token),
  });
  const verify = (request: Partial<SignedRequest>, authToken = token) =>
    twilioShaped.verifyWebhook(
      { method: 'POST', url, form, body: Buffer.alloc(0), headers: signed(url, form), ...request },
      { authToken },
    );

  test("agree with the example in the vendor's documentation", () => {
    expect(twilioSignature(url, form, token)).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=');
  });

  test('of webhooks are checked over the https address and the sorted form', () => {
    expect(verify({})).toBe(true);
    expect(verify({ form: form.toReversed() })).toBe(true);
    expect(verify({ url: `${url}3` })).toBe(false);
    expect(verify({ form: form.with(0, ['Digits', '1235']) })).toBe(false);
    expect(verify({ headers: {} })).toBe(false);
    expect(verify({}, '12346')).toBe(false);
    expect(verify({ headers: { 'x-twilio-signature': twilioSignature(url, form, '') } }, '')).toBe(false);
  });

  test('of upgrades are checked over the wss address, with or without a trailing slash', () => {
    const address = 'wss://a.dev/ws/pass';
    const check = (headers: SignedRequest['headers']) =>
      twilioShaped.verifyUpgrade({ url: address, headers }, { authToken: token });
    expect(check(signed(address))).toBe(true);
    expect(check(signed(`${address}/`))).toBe(true);
    expect(check(signed('http://a.dev/ws/pass'))).toBe(false);
    expect(check(signed('wss://a.dev/ws/other'))).toBe(false);
    expect(check({})).toBe(false);
  });
});

describe('webhooks', () => {
  const call = { CallSid: callId, From: '+12025550101', To: '+12025550100', Direction: 'inbound' };
  const parse = (parameters: Record<string, string>) =>
    twilioShaped.parseWebhook({
      parameters: new Map(Object.entries({ ...call, ...parameters })),
      body: Buffer.alloc(0),
      contentType: '',
    });
  const progress = { CallbackSource: 'call-progress-events' };

  test.each([
    [{ CallStatus: 'ringing' }, 'answer'],
    [{ CallStatus: 'in-progress', Direction: 'outbound-api' }, 'answer'],
    [{ CallStatus: 'ringing', Direction: 'outbound-api', ...progress }, 'ring'],
    [{ CallStatus: 'initiated', ...progress }, 'other'],
    [{ CallStatus: 'completed', ...progress }, 'hangup'],
    [{ CallStatus: 'completed', DialCallStatus: 'completed' }, 'dial'],
    [{ CallStatus: 'in-progress', StreamEvent: 'stream-started' }, 'other'],
  ])('take %j for %s', (parameters, event) => {
    expect(parse(parameters as Record<string, string>).event).toBe(event);
  });

  test('name the call, the numbers and the reason of its end', () => {
    expect(parse({ CallStatus: 'busy', CallDuration: '0', Direction: 'outbound-api' })).toEqual({
      event: 'hangup',
      callId,
      from: '+12025550101',
      to: '+12025550100',
      direction: 'outbound',
      hangup: { reason: 'busy', cause: 'busy', source: 'Unknown', durationMs: 0 },
    });
    expect(parse({ CallStatus: 'ringing', CallSid: '../Accounts' }).callId).toBeUndefined();
    expect(parse({ StreamEvent: 'stream-error', StreamError: '31920' }).streamProblem).toBe('31920');
  });

  test("tell of a dialled third party under the caller's identifier", () => {
    const leg = { CallSid: legId, ParentCallSid: callId, To: '+12025550102', ...progress };
    expect(parse({ ...leg, CallStatus: 'in-progress' })).toMatchObject({
      callId,
      dial: { phase: 'answered', legId, to: '+12025550102' },
    });
    expect(parse({ ...leg, CallStatus: 'completed' })).toMatchObject({ event: 'dial', dial: { phase: 'other' } });
    expect(parse({ CallStatus: 'in-progress', DialCallStatus: 'no-answer' }).dial).toEqual({
      phase: 'ended',
      outcome: 'no_answer',
      legId: undefined,
      cause: 'no-answer',
    });
    expect(parse({ CallStatus: 'in-progress', DialCallStatus: 'completed', DialCallSid: legId })).toMatchObject({
      callId,
      dial: { phase: 'ended', outcome: 'completed', legId },
    });
  });

  test('tell what answered', () => {
    const detection = { CallStatus: 'in-progress', MachineDetectionDuration: '3000' };
    expect(parse({ ...detection, AnsweredBy: 'machine_start' })).toMatchObject({
      event: 'machine_detection',
      isMachine: true,
    });
    expect(parse({ ...detection, AnsweredBy: 'human' }).isMachine).toBe(false);
  });

  test('can be told from our own parameters', () => {
    expect(['CallSid', 'SipHeader_X', 'user_id', 'token'].map(twilioShaped.isWebhookParameter)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('requests', () => {
  const account = 'AC0123456789abcdef0123456789abcdef';
  const request: PlaceCallRequest = {
    from: '+12025550100',
    to: '+12025550101',
    answerUrl: 'https://a.dev/answer?body=x',
    ringUrl: 'https://a.dev/ring',
    hangupUrl: 'https://a.dev/hangup',
    machineUrl: 'https://a.dev/machine',
    machineDetection: 'report',
    ringTimeoutS: 45,
    timeLimitS: 900,
  };

  /** An account with one live call. */
  const reply = ({ method, url }: ReceivedRequest) => {
    if (method === 'POST' && url.endsWith('/Calls.json')) return { status: 201, body: JSON.stringify({ sid: callId }) };
    if (method === 'GET') {
      const calls = url.includes('Status=ringing') ? [{ sid: callId }, { sid: '../x' }] : [];
      return { status: 200, body: JSON.stringify({ calls }) };
    }
    return { status: url.includes(callId) ? 200 : 404, body: '{}' };
  };

  test('place, find, transfer and end calls', async () => {
    await using api = await ScriptedApi.listen(reply);
    const client = await twilioShaped.createRestClient({ authId: account, authToken: 'token', apiUrl: api.url });
    expect(await client.placeCall(request)).toEqual({ callId });
    expect(await client.findCalls(request)).toEqual([callId]);
    expect(await client.transfer(callId, 'https://a.dev/transfer')).toBe('transferring');
    expect(await client.transfer(legId, 'https://a.dev/transfer')).toBe('no_such_call');
    expect(await client.hangUp(callId)).toBe('ended');
    expect(await client.hangUp(legId)).toBe('already_ended');
    await expect(client.hangUp('../x')).rejects.toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
    await client.close();

    const forms = api.requests
      .filter(({ method }) => method === 'POST')
      .map(({ url, body }) => [
        url.slice(`/v1/Accounts/${account}/`.length),
        Object.fromEntries(new URLSearchParams(body)),
      ]);
    expect(forms).toEqual([
      [
        'Calls.json',
        {
          From: '+12025550100',
          To: '+12025550101',
          Url: request.answerUrl,
          Method: 'POST',
          StatusCallback: request.ringUrl,
          StatusCallbackEvent: 'completed',
          Timeout: '45',
          TimeLimit: '900',
          MachineDetection: 'Enable',
          AsyncAmd: 'true',
          AsyncAmdStatusCallback: request.machineUrl,
        },
      ],
      [`Calls/${callId}.json`, { Url: 'https://a.dev/transfer', Method: 'POST' }],
      [`Calls/${legId}.json`, { Url: 'https://a.dev/transfer', Method: 'POST' }],
      [`Calls/${callId}.json`, { Status: 'completed' }],
      [`Calls/${legId}.json`, { Status: 'completed' }],
    ]);
  });

  test('fail as the contract says', async () => {
    const place = async (status: number) => {
      await using api = await ScriptedApi.listen([{ status, body: '<html>' }]);
      const client = await twilioShaped.createRestClient({ authId: account, authToken: 'token', apiUrl: api.url });
      return await client.placeCall(request);
    };
    await expect(place(401)).rejects.toMatchObject({ code: 'VB_CREDENTIALS_REFUSED' });
    await expect(place(400)).rejects.toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 400 });
    await expect(place(503)).rejects.toMatchObject({ code: 'VB_CALL_UNCERTAIN' });
    await expect(place(201)).rejects.toMatchObject({ code: 'VB_CALL_UNCERTAIN' });
  });
});
