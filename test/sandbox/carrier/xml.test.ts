import fc from 'fast-check';
import { create } from 'xmlbuilder2';
import { parseXml } from '../../../src/sandbox/carrier/xml.js';

test('reads elements, attributes, text, comments, CDATA, instructions and entities', () => {
  const root = parseXml(`<?xml version="1.0" encoding="UTF-8"?>
<!-- a - comment --><?style x?>
<Response>
  <Stream a="1 &amp; 2" b='"'>  ws://x/?a=1&amp;b=&#50;&#x33;  </Stream><Hangup/>
  <Speak>one <break/>&lt;two&gt; <![CDATA[<three> & ]]>four &quot;&apos;</Speak >
</Response>
`);
  expect(root.name).toBe('Response');
  expect(root.children.map(({ name }) => name)).toEqual(['Stream', 'Hangup', 'Speak']);
  expect([...(root.children[0]?.attributes ?? [])]).toEqual([
    ['a', '1 & 2'],
    ['b', '"'],
  ]);
  expect(root.children[0]?.text).toBe('  ws://x/?a=1&b=23  ');
  expect(root.children[2]?.text).toBe(`one <two> <three> & four "'`);
});

test.each([
  ['', 'the document is empty'],
  ['\n', 'the document is empty'],
  ['junk<Response/>', 'text outside'],
  ['<Response/>junk', 'text outside'],
  ['\n<?xml version="1.0"?><Response/>', 'nothing may stand before'],
  ['<Response>', '<Response> is not closed'],
  ['<Response><A></B></Response>', '</B> does not close <A>'],
  ['</Response>', '</Response> does not close'],
  ['<Response/><Response/>', 'second root'],
  ['<Response a="1" a="2"/>', 'attribute a is given twice'],
  ['<Response a=1/>', 'cannot read'],
  ['<Response a="<"/>', 'cannot read'],
  ['<Response>a & b</Response>', 'line 1: a bare "&": write &amp;'],
  ['<Response\na="x&y"/>', 'a bare "&"'],
  ['<Response>\n\n&eacute;</Response>', 'line 3: unknown entity &eacute;'],
  ['<Response>&#1114112;</Response>', 'is not a character'],
  ['<!DOCTYPE html><html/>', 'cannot read'],
  ['<Response>< /Response>', 'cannot read'],
  ['<Response><!-- a -- b --></Response>', 'cannot read'],
])('refuses %j', (source, problem) => {
  expect(() => parseXml(source)).toThrow(problem);
  expect(() => parseXml(source)).toThrow(expect.objectContaining({ code: 'VB_XML_INVALID' }));
});

// Without semicolons: xmlbuilder2 leaves what looks like an entity unescaped.
test('reads back what xmlbuilder2 writes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '&', '<', '>', '"', "'", 'é', '😀', ']', '-', '#') });
  fc.assert(
    fc.property(text, text, (attribute, content) => {
      const xml = create({ version: '1.0' }).ele('Response').ele('Speak', { a: attribute }).txt(content).end();
      const [speak] = parseXml(xml).children;
      expect(speak?.attributes.get('a')).toBe(attribute);
      expect(speak?.text).toBe(content);
    }),
  );
});

test('answers any text with an element or VB_XML_INVALID, in time that grows with its length', () => {
  const piece = fc.constantFrom(
    '<',
    '</',
    'a',
    '>',
    '/>',
    ' ',
    '="',
    '"',
    "'",
    '&',
    ';',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '?>',
    '=',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
      try {
        parseXml(pieces.join(''));
      } catch (error) {
        expect(error).toMatchObject({ code: 'VB_XML_INVALID' });
      }
    }),
    { numRuns: 2_000 },
  );
  const attributes = Array.from({ length: 10_000 }, (_, n) => ` a${n}="1"`).join('');
  expect(() => parseXml(`<Response${attributes}`)).toThrow();
});
