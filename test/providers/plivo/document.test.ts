import fc from 'fast-check';
import { answerXml } from '../../../src/providers/plivo/document.js';
import { testNumberIsNoMarkup } from '../number-is-no-markup.js';

const stream = {
  url: 'wss://abc.example.dev/ws/4f1c9e',
  parameters: {},
  continueUrl: 'https://abc.example.dev/resume',
};

/** Text between tags or quotes as an XML reader takes it: each reference is replaced once. */
function unescapeXml(text: string): string {
  expect(text.replace(/&(amp|lt|gt|quot);/g, '')).not.toMatch(/[&<]/);
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => characters[name] as string);
}

const textOf = (xml: string, name: string) =>
  unescapeXml(xml.match(`<${name}[^>]*>([^<]*)</${name}>`)?.[1] ?? 'missing');
const attributeOf = (xml: string, name: string) => unescapeXml(xml.match(` ${name}="([^"]*)"`)?.[1] ?? 'missing');

test('writes the stream with the attributes a bot needs, and the continuation right after it', () => {
  expect(answerXml([{ do: 'stream', stream }])).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Response>' +
      '<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000">wss://abc.example.dev/ws/4f1c9e</Stream>' +
      '<Redirect method="POST">https://abc.example.dev/resume</Redirect></Response>',
  );
});

test('keeps a caller on the line between the stream and the continuation', () => {
  const hold = { quietS: 1, text: 'One & only.', waitS: 20 };
  expect(answerXml([{ do: 'stream', stream: { ...stream, hold } }])).toContain(
    '</Stream><Wait length="1"/><Speak>One &amp; only.</Speak><Wait length="20"/>' +
      '<Redirect method="POST">https://abc.example.dev/resume</Redirect></Response>',
  );
});

test('writes & as &amp; in text and attributes', () => {
  const xml = answerXml([
    {
      do: 'stream',
      stream: {
        url: 'wss://a.dev/ws?a=1&b=2',
        parameters: {},
        continueUrl: 'https://a.dev/r?c=3&d=4',
        statusUrl: 'https://a.dev/s?e=5&f=6',
      },
    },
  ]);
  expect(xml).toContain('>wss://a.dev/ws?a=1&amp;b=2</Stream>');
  expect(xml).toContain('>https://a.dev/r?c=3&amp;d=4</Redirect>');
  expect(xml).toContain(' statusCallbackUrl="https://a.dev/s?e=5&amp;f=6"');
  expect(xml.replaceAll('&amp;', '')).not.toContain('&');
});

test('appends the parameters of the stream to its query, encoded as a form', () => {
  const write = (url: string, parameters: Record<string, string>) =>
    textOf(answerXml([{ do: 'stream', stream: { ...stream, url, parameters } }]), 'Stream');
  expect(write('wss://a.dev/ws', { user_id: '17' })).toBe('wss://a.dev/ws?user_id=17');
  expect(write('wss://a.dev/ws?token=a%2Fb', { b: 'x y', a: '1&2=3', c: '+é"<', d: '' })).toBe(
    'wss://a.dev/ws?token=a%2Fb&b=x+y&a=1%262%3D3&c=%2B%C3%A9%22%3C&d=',
  );
  const xml = answerXml([{ do: 'stream', stream: { ...stream, parameters: { a: '1', b: '2' } } }]);
  expect(xml).toContain('/ws/4f1c9e?a=1&amp;b=2</Stream>');
});

test('any parameters come back from the document', () => {
  const parameters = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.string({ maxLength: 40 }), {
    maxKeys: 5,
  });
  fc.assert(
    fc.property(parameters, (given) => {
      const url = 'wss://a.dev/ws?token=x';
      const written = textOf(answerXml([{ do: 'stream', stream: { ...stream, url, parameters: given } }]), 'Stream');
      const query = [...new URL(written).searchParams];
      expect(query).toEqual([['token', 'x'], ...Object.entries(given)]);
    }),
  );
});

describe('dialling', () => {
  const dial = {
    to: '+12025550101',
    callerId: '+12025550100',
    ringTimeoutS: 30,
    timeLimitS: 900,
    outcomeUrl: 'https://a.dev/transfer-ended?call=1&pass=2',
    statusUrl: 'https://a.dev/transfer-status?call=1&pass=2',
  };

  test('writes the numbers as digits, the limits and both addresses', () => {
    expect(answerXml([{ do: 'dial', dial }])).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><Response><Dial callerId="12025550100" timeout="30" timeLimit="900"' +
        ' action="https://a.dev/transfer-ended?call=1&amp;pass=2" method="POST"' +
        ' callbackUrl="https://a.dev/transfer-status?call=1&amp;pass=2" callbackMethod="POST">' +
        '<Number>12025550101</Number></Dial></Response>',
    );
  });

  testNumberIsNoMarkup(answerXml);
});

test('keeps the order of the steps', () => {
  const xml = answerXml([
    { do: 'play', url: 'https://a.dev/sorry.wav?x=1&y=2' },
    { do: 'speak', text: 'Sorry, <goodbye> & thanks' },
    { do: 'hangup' },
  ]);
  expect(xml).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Response><Play>https://a.dev/sorry.wav?x=1&amp;y=2</Play>' +
      '<Speak>Sorry, &lt;goodbye&gt; &amp; thanks</Speak><Hangup/></Response>',
  );
});

test.each(['busy', 'rejected'] as const)('hangs up as %s', (reason) => {
  expect(answerXml([{ do: 'hangup', reason }])).toContain(`<Response><Hangup reason="${reason}"/></Response>`);
});

test('writes an empty response for no steps', () => {
  expect(answerXml([])).toBe('<?xml version="1.0" encoding="UTF-8"?><Response/>');
});

/** Texts in which references to XML characters occur by chance. */
const ampersandText = fc
  .array(fc.oneof(fc.constantFrom('&', '&amp;', '&lt', ';', '&copy;', '&#38;', '&#x26;', '"', "'", ']]>'), fc.string()))
  .map((parts) => parts.join(''));

test('any query comes back unchanged from the document', () => {
  const query = fc.oneof(
    fc.webQueryParameters(),
    fc.constantFrom('a=1&copy;2', 'a=1&amp;b=2', 'a&lt;b', 'x&#38;y', '&&', '=&'),
    ampersandText.map((text) => new URL(`wss://a.dev/?${text}`).search.slice(1)),
  );
  fc.assert(
    fc.property(query, query, query, (first, second, third) => {
      const url = `wss://a.dev/ws?${first}`;
      const continueUrl = `https://a.dev/resume?${second}`;
      const statusUrl = `https://a.dev/status?${third}`;
      const xml = answerXml([{ do: 'stream', stream: { url, parameters: {}, continueUrl, statusUrl } }]);
      expect(textOf(xml, 'Stream')).toBe(url);
      expect(textOf(xml, 'Redirect')).toBe(continueUrl);
      expect(attributeOf(xml, 'statusCallbackUrl')).toBe(statusUrl);
    }),
  );
});

test('leaves out characters that XML cannot hold', () => {
  expect(answerXml([{ do: 'speak', text: 'a\u0000b\u001bc\ufffed 📞' }])).toContain('<Speak>abcd 📞</Speak>');
});

test('speaks any text as it is', () => {
  fc.assert(
    fc.property(fc.oneof(ampersandText, fc.string({ unit: 'grapheme' })), (text) => {
      const allowed = text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
      expect(textOf(answerXml([{ do: 'speak', text: `-${text}-` }]), 'Speak')).toBe(`-${allowed}-`);
    }),
  );
});

test('refuses a stream address longer than the carrier takes', () => {
  const url = (length: number) => 'wss://a.dev/ws?body='.padEnd(length, 'x');
  const write = (length: number) => answerXml([{ do: 'stream', stream: { ...stream, url: url(length) } }]);
  expect(write(2048)).toContain(url(2048));
  expect(() => write(2049)).toThrow(expect.objectContaining({ code: 'VB_XML_INVALID' }));
  const withParameters = (length: number) =>
    answerXml([{ do: 'stream', stream: { ...stream, url: url(2040), parameters: { a: 'x'.repeat(length) } } }]);
  expect(withParameters(5)).toContain('&amp;a=xxxxx<');
  expect(() => withParameters(6)).toThrow(expect.objectContaining({ code: 'VB_XML_INVALID' }));
});
