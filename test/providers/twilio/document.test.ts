import fc from 'fast-check';
import twilio from 'twilio';
import type { AnswerDial, AnswerStep, AnswerStream } from '../../../src/providers/carrier.js';
import { twiml } from '../../../src/providers/twilio/document.js';
import { parseXml } from '../../../src/sandbox/carrier/xml.js';
import { treeOfDocument } from '../document-tree.js';

const { VoiceResponse } = twilio.twiml;

const stream: AnswerStream = {
  url: 'wss://a.example.dev/ws/1/pass',
  parameters: {},
  continueUrl: 'https://a.example.dev/resume?call_id=1&stream_no=2',
};
const hold = { quietS: 1, text: 'One & only <moment>, please.', waitS: 20 };
const dial: AnswerDial = {
  to: '+12025550101',
  callerId: '+12025550100',
  ringTimeoutS: 30,
  timeLimitS: 900,
  outcomeUrl: 'https://a.example.dev/transfer-ended?call=1&pass=2',
  statusUrl: 'https://a.example.dev/transfer-status?call=1&pass=2',
};

/** What the vendor's package makes of the same steps. */
function vendorXml(steps: readonly AnswerStep[]): string {
  const response = new VoiceResponse();
  for (const [at, step] of steps.entries()) {
    switch (step.do) {
      case 'stream': {
        const { url, parameters, continueUrl, hold, statusUrl } = step.stream;
        const status =
          statusUrl === undefined ? {} : ({ statusCallback: statusUrl, statusCallbackMethod: 'POST' } as const);
        const noun = response.connect().stream({ url, ...status });
        for (const [name, value] of Object.entries(parameters)) noun.parameter({ name, value });
        if (hold) {
          response.pause({ length: hold.quietS });
          response.say(hold.text);
          response.pause({ length: hold.waitS });
        }
        response.redirect({ method: 'POST' }, continueUrl);
        break;
      }
      case 'dial': {
        const { to, callerId, ringTimeoutS: timeout, timeLimitS: timeLimit, outcomeUrl: action, statusUrl } = step.dial;
        const number = response.dial({ callerId, timeout, timeLimit, action, method: 'POST' });
        number.number(
          { statusCallback: statusUrl, statusCallbackEvent: ['answered', 'completed'], statusCallbackMethod: 'POST' },
          to,
        );
        break;
      }
      case 'play':
        response.play(step.url);
        break;
      case 'speak':
        response.say(step.text);
        break;
      case 'hangup':
        if (step.reason && at === 0) response.reject({ reason: step.reason });
        else response.hangup();
    }
  }
  return response.toString();
}

test.each<[string, AnswerStep[]]>([
  ['nothing', []],
  ['a stream', [{ do: 'stream', stream }]],
  [
    'a stream with parameters',
    [{ do: 'stream', stream: { ...stream, parameters: { user_id: '17', n: 'A & "B" é' } } }],
  ],
  ['a stream with its status', [{ do: 'stream', stream: { ...stream, statusUrl: 'https://a.dev/s?x=1&y=2' } }]],
  ['a stream that keeps the caller', [{ do: 'stream', stream: { ...stream, hold } }]],
  ['a stream of the sandbox', [{ do: 'stream', stream: { ...stream, url: 'ws://127.0.0.1:4711/ws/1/pass' } }]],
  ['a dialled number', [{ do: 'dial', dial }]],
  ['a recorded line and the end', [{ do: 'play', url: 'https://a.dev/x.wav?a=1&b=2' }, { do: 'hangup' }]],
  ['words', [{ do: 'speak', text: 'a < b & "c" \u00e9 📞' }]],
  ['the end', [{ do: 'hangup' }]],
  ['a busy line', [{ do: 'hangup', reason: 'busy' }]],
  ['a call turned away', [{ do: 'hangup', reason: 'rejected' }]],
  [
    'an end with a reason that comes too late',
    [
      { do: 'speak', text: 'Sorry' },
      { do: 'hangup', reason: 'busy' },
    ],
  ],
])("%s is what the vendor's package writes", (_title, steps) => {
  expect(treeOfDocument(twiml(steps))).toEqual(treeOfDocument(vendorXml(steps)));
});

/** What XML can hold, and its reader leaves as it is. */
const text = fc
  .string({ unit: 'grapheme', maxLength: 60 })
  .map((any) => any.replaceAll(/[^\u0021-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''));

test("any texts are what the vendor's package writes", () => {
  fc.assert(
    fc.property(
      text,
      fc.dictionary(text, text, { maxKeys: 4 }),
      fc.webQueryParameters(),
      (words, parameters, query) => {
        const continueUrl = `https://a.dev/resume?${query}`;
        const steps: AnswerStep[] = [
          { do: 'speak', text: `-${words}-` },
          { do: 'stream', stream: { ...stream, parameters: { ...parameters }, continueUrl, statusUrl: continueUrl } },
        ];
        expect(treeOfDocument(twiml(steps))).toEqual(treeOfDocument(vendorXml(steps)));
      },
    ),
  );
});

test('writes the stream, what keeps the caller and the continuation in this order', () => {
  expect(twiml([{ do: 'stream', stream: { ...stream, hold } }])).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Response><Connect><Stream url="wss://a.example.dev/ws/1/pass"/></Connect>' +
      '<Pause length="1"/><Say>One &amp; only &lt;moment&gt;, please.</Say><Pause length="20"/>' +
      '<Redirect method="POST">https://a.example.dev/resume?call_id=1&amp;stream_no=2</Redirect></Response>',
  );
});

test('does not let a number become markup', () => {
  const xml = twiml([{ do: 'dial', dial: { ...dial, to: '1</Number><Number>2', callerId: '"&<a>' } }]);
  const [{ attributes, children } = parseXml(xml)] = parseXml(xml).children;
  expect(children.map((child) => child.text)).toEqual(['1</Number><Number>2']);
  expect(attributes.get('callerId')).toBe('"&<a>');
});

test.each(['wss://a.dev/ws?pass=1', 'wss://a.dev/ws?', 'ws://a.dev/ws', 'https://a.dev/ws', 'ws://127.0.0.1.a.dev/ws'])(
  'refuses the stream address %s',
  (url) => {
    const refused = expect.objectContaining({ code: 'VB_XML_INVALID' });
    expect(() => twiml([{ do: 'stream', stream: { ...stream, url } }])).toThrow(refused);
  },
);

test('leaves out parameters that are longer than the carrier takes', () => {
  const namesOf = (parameters: Record<string, string>) =>
    parseXml(twiml([{ do: 'stream', stream: { ...stream, parameters } }])).children[0]?.children[0]?.children.map(
      ({ attributes }) => attributes.get('name'),
    );
  expect(namesOf({ a: '1', body: 'x'.repeat(496), z: '2' })).toEqual(['a', 'body', 'z']);
  expect(namesOf({ a: '1', body: 'x'.repeat(497), z: '2' })).toEqual(['a', 'z']);
});
