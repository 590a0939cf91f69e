import fc from 'fast-check';
import type { AnswerStep, AnswerStream } from '../../../src/providers/carrier.js';
import { twiml } from '../../../src/providers/twilio/document.js';
import { parseXml } from '../../../src/sandbox/carrier/xml.js';
import { treeOfDocument } from '../document-tree.js';
import { testNumberIsNoMarkup } from '../number-is-no-markup.js';
import { COMMON_STEPS, HOLD, packageXml } from './package-document.js';

const stream: AnswerStream = {
  url: 'wss://a.example.dev/ws/1/pass',
  parameters: {},
  continueUrl: 'https://a.example.dev/resume?call_id=1&stream_no=2',
};

test.each<readonly [string, readonly AnswerStep[]]>([
  ...COMMON_STEPS,
  ['a stream', [{ do: 'stream', stream }]],
  [
    'a stream with parameters',
    [{ do: 'stream', stream: { ...stream, parameters: { user_id: '17', n: 'A & "B" é' } } }],
  ],
  ['a stream with its status', [{ do: 'stream', stream: { ...stream, statusUrl: 'https://a.dev/s?x=1&y=2' } }]],
  ['a stream that keeps the caller', [{ do: 'stream', stream: { ...stream, hold: HOLD } }]],
  [
    'a stream that keeps the caller without a word',
    [{ do: 'stream', stream: { ...stream, hold: { quietS: 1, waitS: 21 } } }],
  ],
  ['a stream of the sandbox', [{ do: 'stream', stream: { ...stream, url: 'ws://127.0.0.1:4711/ws/1/pass' } }]],
  ['the end', [{ do: 'hangup' }]],
  [
    'an end with a reason that comes too late',
    [
      { do: 'speak', text: 'Sorry' },
      { do: 'hangup', reason: 'busy' },
    ],
  ],
])("%s is what the vendor's package writes", (_title, steps) => {
  expect(treeOfDocument(twiml(steps))).toEqual(treeOfDocument(packageXml(steps)));
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
        expect(treeOfDocument(twiml(steps))).toEqual(treeOfDocument(packageXml(steps)));
      },
    ),
  );
});

test('writes the stream, what keeps the caller and the continuation in this order', () => {
  expect(twiml([{ do: 'stream', stream: { ...stream, hold: HOLD } }])).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Response><Connect><Stream url="wss://a.example.dev/ws/1/pass"/></Connect>' +
      '<Pause length="1"/><Say>One &amp; only &lt;moment&gt;, please.</Say><Pause length="20"/>' +
      '<Redirect method="POST">https://a.example.dev/resume?call_id=1&amp;stream_no=2</Redirect></Response>',
  );
});

testNumberIsNoMarkup(twiml);

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
