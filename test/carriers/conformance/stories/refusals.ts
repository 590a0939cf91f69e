import { CALLED, greeted, type Story } from '../story.js';
import type { TappedWebhook } from '../wire-tap.js';

/** The same webhook with another character in the middle of each of its signatures. */
function withWrongSignature({ headers, ...webhook }: TappedWebhook): TappedWebhook {
  const changed = Object.entries(headers).map(([name, value]) => [
    name,
    isSignature(name) ? spoiled(String(value)) : value,
  ]);
  return { ...webhook, headers: Object.fromEntries(changed) };
}

function withoutSignature({ headers, ...webhook }: TappedWebhook): TappedWebhook {
  return { ...webhook, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !isSignature(name))) };
}

const isSignature = (name: string) => name.includes('signature') && !name.includes('nonce');

function spoiled(signature: string): string {
  const at = Math.floor(signature.length / 2);
  return signature.slice(0, at) + (signature[at] === 'A' ? 'B' : 'A') + signature.slice(at + 1);
}

/** What streams of other carriers say, and what none says. */
const ODD_MESSAGES: readonly (string | Buffer)[] = [
  '{',
  '[]',
  'null',
  '"media"',
  '{}',
  '{"event":7}',
  Buffer.from([0, 1, 2, 255]),
  '{"event":"weather","weather":{"is":"fine"}}',
  '{"event":"media"}',
  '{"event":"media","media":{"track":"inbound","payload":"%%%"}}',
  '{"event":"media","sequenceNumber":"3","streamSid":"MZ0","media":{"track":"inbound","chunk":"2","timestamp":"5","payload":"/////w=="}}',
  '{"event":"media","sequence_number":"4","stream_id":"32DE0DEA","media":{"track":"inbound","chunk":"1","timestamp":"5","payload":"/////w=="}}',
  '{"event":"media","sequenceNumber":2,"streamId":"e1","media":{"track":"inbound","chunk":1,"timestamp":"0","payload":"/////w=="}}',
  '{"event":"dtmf","dtmf":{"digit":"~"}}',
  '{"event":"mark","mark":{"name":"of-nobody"}}',
  '{"event":"playedStream","name":"of-nobody","streamId":"e1"}',
];

/** What the call's timeline then says of those that mean nothing. */
const COUNTED = [
  'malformed: not JSON, 2 in all',
  'malformed: not an object, 3 in all',
  'malformed: no event, 2 in all',
  'malformed: media without its object',
  'malformed: media payload is not base64',
  'malformed: dtmf.digit is not a DTMF digit',
  'weather',
  'another start',
];

/** What a runner refuses, while the call that it is about goes on. */
export const REFUSALS: readonly Story[] = [
  {
    title: 'a webhook whose signature is wrong is refused, as is one without',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550131');
      const [webhook] = rig.tap.webhooksOf(id);
      if (!webhook) throw new Error('no webhook came');
      const facts = {
        wrong: await rig.tap.replay(withWrongSignature(webhook)),
        changed: await rig.tap.replay({ ...webhook, body: webhook.body.replace('12025550131', '12025550139') }),
        unsigned: await rig.tap.replay(withoutSignature(webhook)),
        genuine: webhook.status,
      };
      line.press('1');
      return { record: await rig.over(id), facts };
    },
    record: { ...CALLED, from: '+12025550131', endReason: 'bot_ended' },
    facts: { wrong: 403, changed: 403, unsigned: 403, genuine: 200 },
  },
  {
    title: 'webhooks that come twice start nothing twice',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550133');
      for (const webhook of rig.tap.webhooksOf(id)) await rig.tap.replay(webhook);
      line.press('1');
      const record = await rig.over(id);
      for (const webhook of rig.tap.webhooksOf(id)) await rig.tap.replay(webhook);
      const calls = await rig.callsOf('+12025550133');
      return {
        record,
        facts: {
          calls: calls.length,
          served: rig.told.filter((told) => told.id === id && told.event === 'serves').length,
        },
      };
    },
    record: { ...CALLED, from: '+12025550133', endReason: 'bot_ended' },
    facts: { calls: 1, served: 1 },
  },
  {
    title: 'a stream is let in once, with the pass and the signature of its call',
    play: async (rig) => {
      rig.tap.triesBareUpgrades = true;
      const { line, id } = await greeted(rig, '+12025550134');
      const stream = rig.tap.streamOf(id);
      if (!stream) throw new Error('no stream came');
      const facts = {
        unsigned: stream.bareStatus,
        again: await rig.tap.tryUpgrade(stream.path, stream.headers),
        withoutPass: await rig.tap.tryUpgrade('/ws', stream.headers),
        withAnotherPass: await rig.tap.tryUpgrade(stream.path.replace(/.{3}$/, 'AAA'), stream.headers),
        isShown: line.isTold(stream.path.slice(-20)),
      };
      line.press('1');
      return { record: await rig.over(id), facts };
    },
    record: { ...CALLED, from: '+12025550134', endReason: 'bot_ended' },
    facts: { unsigned: 403, again: 403, withoutPass: 403, withAnotherPass: 403, isShown: false },
  },
  {
    title: 'messages that are malformed, unknown, late, repeated or of another dialect are counted, and end no call',
    play: async (rig) => {
      const { line, id } = await greeted(rig, '+12025550135');
      const stream = rig.tap.streamOf(id);
      if (!stream) throw new Error('no stream came');
      for (const message of [...ODD_MESSAGES, ...stream.said.slice(0, 8), ...stream.said.slice(-4).reverse()])
        stream.inject(message);
      await rig.pause(200);
      line.press('1');
      const { digit } = await rig.hears(id, 'key');
      const record = await rig.over(id);
      const said = rig.said(id);
      return { record, facts: { digit, uncounted: COUNTED.filter((line) => !said.includes(line)) } };
    },
    record: { ...CALLED, from: '+12025550135', endReason: 'bot_ended' },
    facts: { digit: '1', uncounted: [] },
  },
];
