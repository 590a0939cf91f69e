import assert from 'node:assert/strict';
import type { StreamFormat } from '../../../providers/carrier.js';
import { recogniseStream } from '../../../providers/registry/carriers.js';
import type { ConformanceStory, Tried } from './carrier-fixtures.js';
import { decodeDamaged, isSensible } from './damaged-messages.js';

/** What no carrier says, and what each may come upon. */
const NO_MESSAGES = [
  '',
  '{',
  '[]',
  'null',
  '"media"',
  '7',
  '{}',
  '{"event":7}',
  '{"event":"media"}',
  '{"event":"start"}',
];
/** Identifiers that must not get into a path. */
const WRONG_IDS = ['', '../7', 'a/b', 'a?b', 'a b', 'é', 'x'.repeat(600)];

/** What is asked of a codec. */
export function codecStories({ extension: { carrier }, fixtures }: Tried): ConformanceStory[] {
  const { messages, stream } = fixtures;
  const { audio } = carrier.capabilities;
  const decoded = () => {
    const codec = carrier.createCodec(stream.streamId, audio.telephone);
    return messages.map((text) => codec.decode(text));
  };
  return [
    {
      title: 'the start of a stream says which stream and which call it is, and what it carries',
      play() {
        const start = decoded().find(({ type }) => type === 'start');
        assert.ok(start?.type === 'start', 'no message of the fixtures is read as a start');
        assert.equal(start.streamId, stream.streamId);
        assert.equal(start.providerCallId, stream.callId);
        assert.ok(isFormat(start.format), `${JSON.stringify(start.format)} is no format`);
      },
    },
    {
      title: 'a stream is recognised by its first messages',
      play() {
        assert.deepEqual(recogniseStream(messages.slice(0, 5), carrier.name), {
          carrier: carrier.name,
          ...idsOf(stream),
        });
      },
    },
    {
      title: "the caller's audio is read alike from text and from bytes",
      play() {
        const read = (as: (text: string) => string | Buffer) => {
          const codec = carrier.createCodec(stream.streamId, audio.telephone);
          return messages.flatMap((text) => {
            const message = codec.decode(as(text));
            return message.type === 'audio' ? [Buffer.from(message.payload)] : [];
          });
        };
        const [first, ...others] = read((text) => text);
        assert.ok(first, 'no message of the fixtures is read as audio');
        assert.equal(first.length, stream.audioBytes);
        assert.deepEqual(
          read((text) => Buffer.from(text)),
          [first, ...others],
        );
      },
    },
    {
      title: 'what is no message of this wire is malformed or unknown, and nothing is thrown',
      play() {
        const codec = carrier.createCodec(stream.streamId, audio.telephone);
        for (const text of NO_MESSAGES) {
          for (const message of [codec.decode(text), codec.decode(Buffer.from(text))])
            assert.ok(['malformed', 'unknown'].includes(message.type), `${text} is read as ${message.type}`);
        }
      },
    },
    {
      title: 'ten thousand damaged messages are read as something sensible, and none is thrown at',
      play() {
        const codec = carrier.createCodec(stream.streamId, audio.telephone);
        const isCallId = (id: string) => carrier.isCallId(id);
        const { wrong } = decodeDamaged(codec, messages, { count: 10_000, seed: 7, isCallId });
        assert.deepEqual(wrong.slice(0, 3), []);
        for (const message of decoded()) assert.ok(isSensible(message, isCallId), JSON.stringify(message));
      },
    },
    {
      title: 'identifiers that could change an address are none',
      play() {
        for (const id of WRONG_IDS) assert.equal(carrier.isCallId(id), false, JSON.stringify(id));
        assert.equal(carrier.isCallId(stream.callId), true);
      },
    },
    {
      title: 'a format that streams do not carry is refused, those of the capabilities are not',
      play() {
        for (const format of [audio.telephone, ...(audio.wideband ? [audio.wideband] : [])])
          assert.equal(typeof carrier.createCodec(stream.streamId, format).encodeMark('m'), 'string');
        const codec = carrier.createCodec(stream.streamId);
        assert.equal(codec.encodeDtmf('1') !== undefined, carrier.capabilities.pressesKeys);
      },
    },
    {
      title: 'audio, marks and orders to drop audio are messages of their own',
      play() {
        const codec = carrier.createCodec(stream.streamId, audio.telephone);
        const sent = [
          codec.encodeAudio(Buffer.alloc(160, 1)),
          codec.encodeMark('one'),
          codec.encodeMark('two'),
          codec.encodeClear(),
        ];
        assert.equal(new Set(sent).size, sent.length);
        assert.ok(sent[0]?.includes(Buffer.alloc(160, 1).toString('base64').slice(0, 200)), 'the audio is not base64');
        const view = Buffer.concat([Buffer.alloc(3), Buffer.alloc(160, 1)]).subarray(3);
        assert.equal(codec.encodeAudio(view), sent[0], 'bytes that are a view into others are sent as they are');
      },
    },
  ];
}

const idsOf = ({ streamId, callId }: Tried['fixtures']['stream']) => ({ streamId, providerCallId: callId });

const isFormat = ({ encoding, sampleRate }: StreamFormat) =>
  ['PCMU', 'PCMA', 'L16'].includes(encoding) && sampleRate >= 8_000 && sampleRate <= 48_000;
