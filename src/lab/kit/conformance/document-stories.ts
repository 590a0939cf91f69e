import assert from 'node:assert/strict';
import type { AnswerStep } from '../../../providers/carrier.js';
import { parseXml, type XmlElement } from '../../../sandbox/carrier/xml.js';
import type { ConformanceStory, Tried } from './carrier-fixtures.js';

const ODD = 'a & b <c> "d" \'e\' é 😀';
const BASE = 'https://bot.example.com';

const STREAM: AnswerStep = {
  do: 'stream',
  stream: {
    url: 'wss://bot.example.com/ws/pass',
    parameters: { campaign: ODD },
    continueUrl: `${BASE}/continue?call=1&step=2`,
    hold: { quietS: 1, text: ODD, waitS: 3 },
  },
};
const DIAL: AnswerStep = {
  do: 'dial',
  dial: {
    to: '+12025550101',
    callerId: '+12025550100',
    ringTimeoutS: 20,
    timeLimitS: 600,
    outcomeUrl: `${BASE}/outcome?call=1&step=2`,
    statusUrl: `${BASE}/status?call=1&step=2`,
  },
};

/** What is asked of documents. */
export function documentStories({ extension: { carrier } }: Tried): ConformanceStory[] {
  const written = (...steps: AnswerStep[]) => everything(parseXml(carrier.answerDocument(steps)));
  return [
    {
      title: 'every step is a document that can be read, with odd characters as they were',
      play() {
        const steps: AnswerStep[] = [
          STREAM,
          DIAL,
          { do: 'play', url: `${BASE}/a.wav?x=1&y=2` },
          { do: 'speak', text: ODD },
          { do: 'hangup' },
        ];
        for (const step of steps) assert.notEqual(written(step).length, 0, step.do);
        assert.ok(written({ do: 'speak', text: ODD }).includes(ODD));
        assert.ok(written({ do: 'play', url: `${BASE}/a.wav?x=1&y=2` }).includes(`${BASE}/a.wav?x=1&y=2`));
        assert.ok(written(...steps).length > written(STREAM).length);
        assert.equal(typeof carrier.answerDocument([]), 'string');
      },
    },
    {
      title: 'the document of a stream has its address, and where to go on',
      play() {
        const all = written(STREAM).join('\n');
        assert.ok(all.includes('wss://bot.example.com/ws/pass'));
        assert.ok(all.includes(`${BASE}/continue?call=1&step=2`));
        if (!carrier.capabilities.allowsStreamQuery) assert.ok(!/ws\/pass\?/.test(all), 'the address has a query');
      },
    },
    {
      title: 'the document of a transfer has the number, its limits, and where its outcome is told',
      play() {
        const all = written(DIAL).join('\n');
        for (const wanted of ['12025550101', '12025550100', '20', '600', `${BASE}/outcome?call=1&step=2`])
          assert.ok(all.includes(wanted), wanted);
      },
    },
    {
      title: 'a caller who is turned away is told so in a document too',
      play() {
        for (const reason of ['busy', 'rejected'] as const)
          assert.notEqual(written({ do: 'hangup', reason }).length, 0);
      },
    },
  ];
}

/** Names, attributes and texts of an element and of those in it. */
const everything = ({ name, attributes, children, text }: XmlElement): string[] => [
  name,
  ...attributes.values(),
  ...(children.length === 0 ? [text] : []),
  ...children.flatMap(everything),
];
