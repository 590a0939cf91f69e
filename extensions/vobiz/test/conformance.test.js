import { test } from 'node:test';
import { carrierConformance } from 'voicebot/testing';
import extension from '../index.js';
import { signatureHeaders } from '../signature.js';

// Messages as docs.vobiz.ai/xml/stream/stream-events describes them; fact 7 of the README says what of them is a guess.
const STREAM = { streamId: '20170ada-f610-433b-8758-c02a2aab3662', callId: '3f1c9f0e-8f0f-4a55-9d4b-2f60f2a6a9d1' };
const MEDIA = {
  track: 'inbound',
  timestamp: '1704110400000',
  chunk: 2,
  payload: Buffer.alloc(160, 255).toString('base64'),
};
const MESSAGES = [
  {
    sequenceNumber: 0,
    event: 'start',
    start: {
      ...STREAM,
      accountId: '1234567',
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
    },
    extra_headers: '{}',
  },
  { sequenceNumber: 1, event: 'media', streamId: STREAM.streamId, media: MEDIA, extra_headers: '{}' },
  { event: 'dtmf', streamId: STREAM.streamId, dtmf: { digit: '5' } },
  { event: 'playedStream', streamId: STREAM.streamId, name: 'greeting' },
  { event: 'clearedAudio', streamId: STREAM.streamId },
  { event: 'stop', streamId: STREAM.streamId },
].map((message) => JSON.stringify(message));

const account = { authId: 'MA_7KQ2XW9B', authToken: '8f14e45fceea167a5a36dedd4bea2543' };
const numbers = { from: '+12025550199', to: '+12025550100' };

carrierConformance({
  extension,
  test,
  fixtures: {
    account,
    messages: MESSAGES,
    stream: { ...STREAM, audioBytes: 160 },
    call: { callId: STREAM.callId, ...numbers },
    unsigned: ['body', 'query'], // fact 4
    webhook() {
      /** @type {Array<[string, string]>} */
      const form = [
        ['CallUUID', STREAM.callId],
        ['From', numbers.from],
        ['To', numbers.to],
        ['Direction', 'inbound'],
        ['CallStatus', 'ringing'],
        ['Event', 'StartApp'],
      ];
      const url = 'https://bot.example.com/answer?call=1';
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        ...signatureHeaders(url, account.authToken),
      };
      return { method: 'POST', url, form, body: Buffer.from(new URLSearchParams(form).toString()), headers };
    },
  },
});
