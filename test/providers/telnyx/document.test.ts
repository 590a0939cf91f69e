import type { AnswerStep, AnswerStream } from '../../../src/providers/carrier.js';
import { answerTexml } from '../../../src/providers/telnyx/document.js';
import { parseXml } from '../../../src/sandbox/carrier/xml.js';
import { treeOf, treeOfDocument } from '../document-tree.js';
import { testNumberIsNoMarkup } from '../number-is-no-markup.js';
import { COMMON_STEPS, DIAL, HOLD, packageXml } from '../twilio/package-document.js';

const stream: AnswerStream = {
  url: 'wss://a.example.dev/ws?token=pass&call_id=1',
  parameters: {},
  continueUrl: 'https://a.example.dev/resume?call_id=1&stream_no=2',
};

/**
 * TeXML has TwiML's verbs, so Twilio's package is the oracle of all but the attributes of a stream: no package of the carrier writes
 * documents.
 */
test.each(COMMON_STEPS)("%s is what Twilio's package writes", (_title, steps) => {
  expect(treeOfDocument(answerTexml(steps))).toEqual(treeOfDocument(packageXml(steps)));
});

const streamOf = (steps: AnswerStep[]) =>
  Object.fromEntries(parseXml(answerTexml(steps)).children[0]?.children[0]?.attributes ?? []);

test('a stream says its audio both ways, and is not connected again by the carrier', () => {
  expect(streamOf([{ do: 'stream', stream }])).toEqual({
    url: stream.url,
    track: 'inbound_track',
    codec: 'PCMU',
    bidirectionalMode: 'rtp',
    bidirectionalCodec: 'PCMU',
    bidirectionalSamplingRate: '8000',
    enableReconnect: 'false',
  });
  const wideband = {
    ...stream,
    format: { encoding: 'L16', sampleRate: 16_000 },
    statusUrl: 'https://a.dev/s?x=1&y=2',
  } as const;
  expect(streamOf([{ do: 'stream', stream: wideband }])).toMatchObject({
    codec: 'L16',
    bidirectionalCodec: 'L16',
    bidirectionalSamplingRate: '16000',
    statusCallback: 'https://a.dev/s?x=1&y=2',
    statusCallbackMethod: 'POST',
  });
});

test('custom data travels in the address of the stream, as far as the carrier takes it', () => {
  const parameters = { body: 'A & "B" é', n: '1' };
  const { url = '' } = streamOf([{ do: 'stream', stream: { ...stream, parameters } }]);
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({ token: 'pass', call_id: '1', ...parameters });
  const long = (length: number): AnswerStep[] => [
    { do: 'stream', stream: { ...stream, parameters: { body: 'x'.repeat(length) } } },
  ];
  const room = 2_000 - `${stream.url}&body=`.length;
  expect(streamOf(long(room)).url).toHaveLength(2_000);
  const refused = expect.objectContaining({ code: 'VB_XML_INVALID' });
  expect(() => answerTexml(long(room + 1))).toThrow(refused);
});

test('what follows a stream keeps the caller, and asks for the continuation', () => {
  const steps: AnswerStep[] = [{ do: 'stream', stream: { ...stream, hold: HOLD } }];
  const [after, expected] = [answerTexml(steps), packageXml(steps)].map((xml) => parseXml(xml).children.slice(1));
  expect(after?.map(treeOf)).toEqual(expected?.map(treeOf));
  expect(after).toHaveLength(4);
});

testNumberIsNoMarkup(answerTexml);

test('times stay within what the carrier takes', () => {
  const xml = answerTexml([{ do: 'dial', dial: { ...DIAL, ringTimeoutS: 1, timeLimitS: 1 } }]);
  const [{ attributes } = parseXml(xml)] = parseXml(xml).children;
  expect(Object.fromEntries(attributes)).toMatchObject({ timeout: '5', timeLimit: '60' });
});
