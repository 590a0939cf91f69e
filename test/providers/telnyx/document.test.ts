import twilio from 'twilio';
import type { AnswerDial, AnswerStep, AnswerStream } from '../../../src/providers/carrier.js';
import { answerTexml } from '../../../src/providers/telnyx/document.js';
import { parseXml } from '../../../src/sandbox/carrier/xml.js';
import { treeOf, treeOfDocument } from '../document-tree.js';

/** TeXML has TwiML's verbs, so Twilio's package is the oracle of all but the attributes of a stream: no package of the carrier writes documents. */
const { VoiceResponse } = twilio.twiml;

const stream: AnswerStream = {
  url: 'wss://a.example.dev/ws?token=pass&call_id=1',
  parameters: {},
  continueUrl: 'https://a.example.dev/resume?call_id=1&stream_no=2',
};
const dial: AnswerDial = {
  to: '+12025550101',
  callerId: '+12025550100',
  ringTimeoutS: 30,
  timeLimitS: 900,
  outcomeUrl: 'https://a.example.dev/transfer-ended?call=1&pass=2',
  statusUrl: 'https://a.example.dev/transfer-status?call=1&pass=2',
};

/** What Twilio's package makes of the same steps. */
function packageXml(steps: readonly AnswerStep[]): string {
  const response = new VoiceResponse();
  for (const step of steps) {
    if (step.do === 'play') response.play(step.url);
    else if (step.do === 'speak') response.say(step.text);
    else if (step.do === 'dial') {
      const { to, callerId, ringTimeoutS: timeout, timeLimitS: timeLimit, outcomeUrl: action, statusUrl } = step.dial;
      const number = response.dial({ callerId, timeout, timeLimit, action, method: 'POST' });
      number.number(
        { statusCallback: statusUrl, statusCallbackEvent: ['answered', 'completed'], statusCallbackMethod: 'POST' },
        to,
      );
    } else if (step.do === 'hangup' && step.reason) response.reject({ reason: step.reason });
    else response.hangup();
  }
  return response.toString();
}

test.each<[string, AnswerStep[]]>([
  ['nothing', []],
  ['a dialled number', [{ do: 'dial', dial }]],
  ['a recorded line and the end', [{ do: 'play', url: 'https://a.dev/x.wav?a=1&b=2' }, { do: 'hangup' }]],
  ['words', [{ do: 'speak', text: 'a < b & "c" é 📞' }]],
  ['a busy line', [{ do: 'hangup', reason: 'busy' }]],
  ['a call turned away', [{ do: 'hangup', reason: 'rejected' }]],
])("%s is what Twilio's package writes", (_title, steps) => {
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
  const hold = { quietS: 1, text: 'One & only <moment>, please.', waitS: 20 };
  const [, ...after] = parseXml(answerTexml([{ do: 'stream', stream: { ...stream, hold } }])).children;
  const response = new VoiceResponse();
  response.pause({ length: hold.quietS });
  response.say(hold.text);
  response.pause({ length: hold.waitS });
  response.redirect({ method: 'POST' }, stream.continueUrl);
  expect(after.map(treeOf)).toEqual(parseXml(response.toString()).children.map(treeOf));
});

test('a number does not become markup, and times stay within what the carrier takes', () => {
  const to = '1</Number><Number>2';
  const xml = answerTexml([{ do: 'dial', dial: { ...dial, to, callerId: '"&<a>', ringTimeoutS: 1, timeLimitS: 1 } }]);
  const [{ attributes, children } = parseXml(xml)] = parseXml(xml).children;
  expect(children.map(({ text }) => text)).toEqual([to]);
  expect(Object.fromEntries(attributes)).toMatchObject({ callerId: '"&<a>', timeout: '5', timeLimit: '60' });
});
