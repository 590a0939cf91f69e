import { readCallDocument } from '../../../src/sandbox/plivo/document.js';

const response = (verbs: string): string => `<Response>${verbs}</Response>`;
const STREAM = 'bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000"';

test('reads the verbs of a call in order, with their defaults', () => {
  const { verbs, warnings } = readCallDocument(
    response(`
      <Speak language="en-GB"> Hello
        there </Speak>
      <Play>http://127.0.0.1/a.wav</Play>
      <Wait/><Wait length="5"/>
      <Hangup reason="rejected" schedule="60"/>
      <Redirect method="GET"> http://127.0.0.1/next </Redirect>`),
  );
  expect(warnings).toEqual([]);
  expect(verbs).toEqual([
    { verb: 'speak', text: 'Hello there', language: 'en-GB' },
    { verb: 'play', url: 'http://127.0.0.1/a.wav' },
    { verb: 'wait', ms: 1_000 },
    { verb: 'wait', ms: 5_000 },
    { verb: 'hangup', reason: 'rejected', afterMs: 60_000 },
    { verb: 'redirect', url: 'http://127.0.0.1/next', method: 'GET' },
  ]);
});

test('reads a stream with its address, status callback and custom data', () => {
  const status = 'statusCallbackUrl="http://127.0.0.1/status?a=1&amp;b=2" extraHeaders="run=r42,bot=demo"';
  const { verbs } = readCallDocument(
    response(`<Stream ${STREAM} ${status}>\n ws://127.0.0.1/ws?a=1&amp;b=2\n</Stream>`),
  );
  expect(verbs).toEqual([
    expect.objectContaining({
      verb: 'stream',
      url: 'ws://127.0.0.1/ws?a=1&b=2',
      bidirectional: true,
      keepCallAlive: true,
      statusCallback: { url: 'http://127.0.0.1/status?a=1&b=2', method: 'POST' },
      timeoutMs: 86_400_000,
    }),
  ]);
});

test('reads whom to dial, with the defaults', () => {
  const full = `<Dial callerId="+12025550100" timeout="20" timeLimit="60" action="http://127.0.0.1/action" method="GET"
    redirect="false" callbackUrl="http://127.0.0.1/dial" callbackMethod="GET">
    <Number> 12025550101 </Number><Number sendDigits="1">12025550102</Number><User>sip:a@b</User></Dial>`;
  const { verbs, warnings } = readCallDocument(
    response(`${full}<Dial action="http://127.0.0.1/a" callbackUrl="http://127.0.0.1/c"/>`),
  );
  expect(verbs).toEqual([
    {
      verb: 'dial',
      parties: ['12025550101', '12025550102'].map((number) => ({
        number,
        callback: { url: 'http://127.0.0.1/dial', method: 'GET' },
      })),
      callerId: '+12025550100',
      ringTimeoutMs: 20_000,
      timeLimitMs: 60_000,
      action: { url: 'http://127.0.0.1/action', method: 'GET' },
      isRedirecting: false,
    },
    {
      verb: 'dial',
      parties: [],
      ringTimeoutMs: 120_000,
      timeLimitMs: 14_400_000,
      action: { url: 'http://127.0.0.1/a', method: 'POST' },
      isRedirecting: true,
    },
  ]);
  expect(warnings).toEqual([
    '<Number> attribute sendDigits has no effect',
    '<Dial> to a <User> is not played here, only to a <Number>',
  ]);
});

test('names attributes without effect and verbs it does not perform', () => {
  const { verbs, warnings } = readCallDocument(response('<Record/><Speak speed="2" loop="3">Hi</Speak>'));
  expect(verbs[0]).toEqual({ verb: 'unsupported', name: 'Record' });
  expect(warnings).toEqual(['<Speak> attribute speed has no effect', '<Speak> attribute loop has no effect']);
});

test.each([
  ['<response/>', 'the root element is <response>'],
  [response('<stream/>'), '<stream> is not an element'],
  [response('<Reject/>'), 'write <Hangup reason="rejected"/>'],
  [response('<Connect/>'), 'write <Stream>'],
  [response('<constructor/>'), '<constructor> is not an element'],
  [response(`<Stream ${STREAM} url="ws://localhost/"/>`), 'needs an address as its text'],
  [response('<Stream bidirectional="yes">ws://localhost/</Stream>'), 'must be true or false'],
  [
    response('<Stream contentType="audio/opus">ws://localhost/</Stream>'),
    'must be audio/x-mulaw;rate=8000 or audio/x-l16',
  ],
  [response(`<Stream ${STREAM} audioTrack="both">ws://localhost/</Stream>`), 'only audioTrack="inbound"'],
  [response('<Stream keepCallAlive="true">ws://localhost/</Stream>'), 'needs bidirectional'],
  [response(`<Stream ${STREAM} streamTimeout="0">ws://localhost/</Stream>`), 'whole seconds above 0'],
  [response(`<Stream ${STREAM}>ws://localhost/${'a'.repeat(2_048)}</Stream>`), 'longer than 2048'],
  [response(`<Stream ${STREAM} extraHeaders="${'é'.repeat(257)}">ws://localhost/</Stream>`), 'longer than 512 bytes'],
  [response('<Redirect method="get">http://localhost/</Redirect>'), 'must be GET or POST'],
  [response('<Redirect>/next</Redirect>'), 'needs an address as its text'],
  [response('<Hangup reason="tired"/>'), 'must be busy or rejected'],
  [response('<Dial><Number>sip:a@b</Number></Dial>'), '<Number> needs a telephone number'],
  [response('<Dial callerId="me"><Number>12025550101</Number></Dial>'), 'callerId needs a telephone number'],
  [response('<Dial><Client>a</Client></Dial>'), 'write <Number>'],
  [response('<Dial timeout="0"/>'), 'whole seconds above 0'],
  [response('<Dial redirect="no"/>'), 'must be true or false'],
])('refuses %s', (source, problem) => {
  expect(() => readCallDocument(source)).toThrow(problem);
});
