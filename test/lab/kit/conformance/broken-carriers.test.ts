import { carrierConformance } from '../../../../src/lab/kit/conformance/carrier-conformance.js';
import type { Carrier, StreamCodec } from '../../../../src/providers/carrier.js';
import { carriers } from '../../../../src/providers/registry/carriers.js';
import { ours } from './our-carriers.js';

const { plivo } = carriers;

const codecThat = (change: Partial<StreamCodec>): Partial<Carrier> => ({
  createCodec: (streamId, format) => {
    const codec = plivo.createCodec(streamId, format);
    const own: StreamCodec = {
      decode: (message) => codec.decode(message),
      encodeAudio: (payload) => codec.encodeAudio(payload),
      encodeMark: (name) => codec.encodeMark(name),
      encodeClear: () => codec.encodeClear(),
      encodeDtmf: (digits) => codec.encodeDtmf(digits),
    };
    return { ...own, ...change };
  },
});

/** A mistake, and the stories that notice it: they begin so. Those on the sandbox are in the slow tests. */
const MISTAKES: ReadonlyArray<readonly [mistake: string, change: Partial<Carrier>, noticedBy: readonly string[]]> = [
  ['none', {}, []],
  [
    'accepts every webhook',
    { verifyWebhook: () => true },
    ['a webhook without', 'a webhook of another', 'a webhook that was'],
  ],
  ['accepts no webhook', { verifyWebhook: () => false }, ['a genuine webhook', 'a trial webhook']],
  ['takes any identifier', { isCallId: ((_id: string) => true) as Carrier['isCallId'] }, ['identifiers that']],
  [
    'throws at what it does not know',
    codecThat({ decode: (message) => JSON.parse(String(message)) }),
    ['what is no message'],
  ],
  ['sends marks as audio', codecThat({ encodeMark: () => '{}', encodeClear: () => '{}' }), ['audio, marks']],
  ['presses no keys', codecThat({ encodeDtmf: () => undefined }), ['a format that']],
  ['writes addresses as they are', { answerDocument: () => '<Response><Play>a&b</Play></Response>' }, ['every step']],
  [
    'hangs up in place of a stream',
    { answerDocument: () => '<Response><Hangup/></Response>' },
    ['the document of a stream'],
  ],
  ['has one nonce', { webhookNonce: () => 'always' }, ['what is signed once']],
  [
    'knows no call',
    { parseWebhook: (content) => ({ ...plivo.parseWebhook(content), providerCallId: undefined }) },
    ['the webhook of'],
  ],
];

test.each(MISTAKES)('a carrier that %s is noticed by the stories that are about that', async (_, change, noticedBy) => {
  const { extension, fixtures } = ours('plivo');
  const { sandbox: _sandbox, ...without } = extension;
  const plays: Array<readonly [string, () => Promise<void>]> = [];
  const count = carrierConformance({
    extension: { ...without, carrier: { ...plivo, ...change } },
    fixtures,
    test: (title, play) => plays.push([title, play]),
  });
  expect(plays).toHaveLength(count);
  const failed: string[] = [];
  for (const [title, play] of plays.filter(([told]) => !told.includes('unreachable')))
    await play().catch(() => failed.push(title.replace('plivo: ', '')));
  for (const beginning of noticedBy) expect(failed.join('\n')).toMatch(new RegExp(`^${beginning}`, 'm'));
  if (noticedBy.length === 0) expect(failed).toEqual([]);
});
