import twilioPackage from 'twilio';
import type { StreamVerb } from '../../../src/sandbox/carrier/call-document.js';
import { readTwiml } from '../../../src/sandbox/twilio/document.js';

const { VoiceResponse } = twilioPackage.twiml;
type Response = InstanceType<typeof VoiceResponse>;

const written = (write: (response: Response) => void) => {
  const response = new VoiceResponse();
  write(response);
  return readTwiml(response.toString());
};

test.each<[verb: string, write: (response: Response) => void, read: object]>([
  [
    'Say',
    (response) => response.say({ language: 'de-DE' }, 'Grüß Gott & hallo'),
    { verb: 'speak', text: 'Grüß Gott & hallo', language: 'de-DE' },
  ],
  [
    'Play',
    (response) => response.play('http://127.0.0.1/a.wav?x=1&y=2'),
    { verb: 'play', url: 'http://127.0.0.1/a.wav?x=1&y=2' },
  ],
  ['Play of keys', (response) => response.play({ digits: 'ww12' }), { verb: 'unsupported', name: 'Play digits="..."' }],
  ['Pause', (response) => response.pause({ length: 3 }), { verb: 'wait', ms: 3_000 }],
  ['Pause without length', (response) => response.pause(), { verb: 'wait', ms: 1_000 }],
  ['Hangup', (response) => response.hangup(), { verb: 'hangup', afterMs: 0 }],
  ['Reject', (response) => response.reject(), { verb: 'hangup', reason: 'rejected', afterMs: 0 }],
  ['Reject as busy', (response) => response.reject({ reason: 'busy' }), { verb: 'hangup', reason: 'busy', afterMs: 0 }],
  [
    'Redirect',
    (response) => response.redirect({ method: 'GET' }, 'http://127.0.0.1/next'),
    { verb: 'redirect', url: 'http://127.0.0.1/next', method: 'GET' },
  ],
  ['Gather', (response) => response.gather().say('Press 1.'), { verb: 'unsupported', name: 'Gather' }],
])("understands %s of the vendor's builder", (_verb, write, read) => {
  expect(written(write)).toEqual({ verbs: [read], warnings: [] });
});

test("understands a stream of the vendor's builder", () => {
  const { verbs, warnings } = written((response) => {
    const stream = response.connect().stream({
      url: 'wss://bot.example.com/ws',
      name: 'bot',
      track: 'inbound_track',
      statusCallback: 'https://bot.example.com/stream?x=1',
      statusCallbackMethod: 'GET',
    });
    stream.parameter({ name: 'body', value: '{"a":"<&>"}' });
    stream.parameter({ name: 'empty', value: '' });
  });
  expect(warnings).toEqual([]);
  const [{ parameters, attributes, ...stream }] = verbs as [StreamVerb];
  expect(stream).toEqual({
    verb: 'stream',
    url: 'wss://bot.example.com/ws',
    bidirectional: true,
    keepCallAlive: true,
    endsOnTransfer: true,
    format: { contentType: 'audio/x-mulaw', sampleRate: 8_000 },
    statusCallback: { url: 'https://bot.example.com/stream?x=1', method: 'GET' },
    timeoutMs: 86_400_000,
  });
  expect([...parameters]).toEqual([
    ['body', '{"a":"<&>"}'],
    ['empty', ''],
  ]);
  expect(attributes.get('name')).toBe('bot');
});

test("understands a stream of one direction of the vendor's builder", () => {
  const { verbs, warnings } = written((response) => {
    response.start().stream({ url: 'wss://bot.example.com/ws', track: 'both_tracks' });
  });
  expect(verbs).toMatchObject([{ verb: 'stream', bidirectional: false, keepCallAlive: false }]);
  expect(warnings).toEqual([expect.stringContaining('both_tracks')]);
});

test("understands a dial of the vendor's builder", () => {
  const { verbs, warnings } = written((response) => {
    const dial = response.dial({
      callerId: '+12025550100',
      timeout: 20,
      timeLimit: 900,
      action: 'http://127.0.0.1/dialled',
      method: 'POST',
      answerOnBridge: true,
      hangupOnStar: true,
    });
    dial.number('+12025550101');
    dial.number(
      { statusCallback: 'http://127.0.0.1/leg', statusCallbackEvent: ['answered', 'completed'] },
      '+12025550102',
    );
    dial.sip('sip:desk@example.com');
  });
  expect(verbs).toEqual([
    {
      verb: 'dial',
      parties: [
        { number: '+12025550101' },
        {
          number: '+12025550102',
          callback: { url: 'http://127.0.0.1/leg', method: 'POST' },
          events: ['answered', 'completed'],
        },
      ],
      callerId: '+12025550100',
      ringTimeoutMs: 20_000,
      timeLimitMs: 900_000,
      action: { url: 'http://127.0.0.1/dialled', method: 'POST' },
      isRedirecting: true,
    },
  ]);
  expect(warnings).toEqual([
    '<Dial> attribute answerOnBridge has no effect',
    '<Dial> attribute hangupOnStar has no effect',
    '<Dial> to a <Sip> is not played here, only to a <Number>',
  ]);
});

test("understands a dial of a bare number of the vendor's builder", () => {
  expect(written((response) => response.dial('+12025550101')).verbs).toMatchObject([
    { verb: 'dial', parties: [{ number: '+12025550101' }], ringTimeoutMs: 30_000, timeLimitMs: 14_400_000 },
  ]);
});

const stream = (attributes: string, inside = '') =>
  `<Connect><Stream url="wss://a.dev/ws" ${attributes}>${inside}</Stream></Connect>`;

test.each([
  ['<Connect><Stream url="wss://a.dev/ws?x=1"/></Connect>', '<Parameter'],
  ['<Connect><Stream/></Connect>', 'must be an address'],
  ['<Connect/>', 'one <Stream> in a <Connect>'],
  ['<Connect><Room>daily</Room></Connect>', 'one <Stream> in a <Connect>'],
  [stream('track="both_tracks"'), 'inbound_track'],
  [stream('track="none"'), 'track="none"'],
  [stream('', '<Parameter name="x"/>'), '<Parameter name="..." value="..."/>'],
  [stream('', `<Parameter name="long" value="${'x'.repeat(497)}"/>`), 'longer than 500'],
  [stream('', '<Custom/>'), '<Parameter'],
  ['<Stream>wss://a.dev/ws</Stream>', '<Connect><Stream'],
  ['<Speak>Hello</Speak>', 'write <Say>'],
  ['<say>Hello</say>', '<say> is not an element'],
  ['<constructor/>', '<constructor> is not an element'],
  ['<Reject reason="later"/>', 'busy or rejected'],
  ['<Redirect>next</Redirect>', 'needs an address'],
  ['<Play/>', 'needs an address'],
  ['<Pause length="-1"/>', 'whole seconds'],
  ['<Dial><User>sip:a@b</User></Dial>', 'write <Number>'],
  ['<Dial><Number>Ada</Number></Dial>', 'telephone number'],
  ['<Dial callerId="Ada">+12025550101</Dial>', 'telephone number'],
  ['<Dial><Number statusCallback="http://a.dev" statusCallbackEvent="over">+12025550101</Number></Dial>', '"over"'],
])('refuses %s', (verbs, problem) => {
  const read = () => readTwiml(`<Response>${verbs}</Response>`);
  expect(read).toThrow(expect.objectContaining({ code: 'VB_XML_INVALID' }));
  expect(read).toThrow(problem);
});

test.each(['<Answer/>', '', '{}', '<Response>', '<Response/><Response/>'])('refuses the document "%s"', (source) => {
  expect(() => readTwiml(source)).toThrow(expect.objectContaining({ code: 'VB_XML_INVALID' }));
});
