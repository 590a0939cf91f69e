import assert from 'node:assert/strict';
import type { SignedRoomsWebhook } from '../../../sandbox/rooms/face.js';
import type { ConformanceStory } from './carrier-fixtures.js';
import type { TriedRooms } from './room-fixtures.js';
import { changedSignatures, isSignature } from './webhook-stories.js';

const HOUR_MS = 3_600_000;

/** What is asked of the signatures and the words of a room provider's webhooks. */
export function roomWebhookStories({ extension: { rooms }, fixtures }: TriedRooms): ConformanceStory[] {
  const { secret } = fixtures;
  const verifies = (webhook: SignedRoomsWebhook, by = secret, now = Date.now()) =>
    rooms.verifyWebhook(webhook, by, now);
  const refused = (webhook: SignedRoomsWebhook, what: string, by?: string, now?: number) =>
    assert.equal(verifies(webhook, by, now), false, `accepted: ${what}`);
  const kindOf = (body: string) => rooms.parseWebhook(Buffer.from(body)).kind;
  return [
    {
      title: 'a genuine webhook is accepted',
      play: () => assert.equal(verifies(fixtures.webhook()), true),
    },
    {
      title: 'a webhook without a signature, or with any character of it changed, is refused',
      play() {
        const webhook = fixtures.webhook();
        const [name, ...others] = Object.keys(webhook.headers).filter(isSignature);
        assert.ok(name !== undefined && others.length === 0, 'the fixture must have one header that holds a signature');
        const signature = webhook.headers[name] ?? '';
        const signed = (value: string) => ({ ...webhook, headers: { ...webhook.headers, [name]: value } });
        const { [name]: _, ...bare } = webhook.headers;
        refused({ ...webhook, headers: bare }, 'no signature');
        refused(signed(''), 'an empty signature');
        for (const [at, other] of changedSignatures(signature).entries())
          refused(signed(other), `character ${at} changed`);
      },
    },
    {
      title: 'a webhook with the signature of another secret, and any where no secret is set, is refused',
      play() {
        refused(fixtures.webhook(), 'another secret', Buffer.from('x'.repeat(32)).toString('base64'));
        refused(fixtures.webhook(), 'no secret', '');
      },
    },
    {
      title: 'a webhook that was changed on its way, or is old, is refused',
      play() {
        const webhook = fixtures.webhook();
        refused({ ...webhook, body: Buffer.concat([webhook.body, Buffer.from(' ')]) }, 'another body');
        refused(webhook, 'an hour old', secret, Date.now() + HOUR_MS);
      },
    },
    {
      title: 'what is signed along cannot be exchanged',
      play() {
        const old = fixtures.webhook();
        const later = rooms.trialWebhook(secret, Date.now() + 60_000).headers;
        const along = Object.keys(old.headers).filter((name) => !isSignature(name) && !name.startsWith('content-'));
        for (const name of along) {
          if (later[name] === undefined || later[name] === old.headers[name]) continue;
          refused({ ...old, headers: { ...old.headers, [name]: later[name] } }, `another ${name}`);
        }
      },
    },
    {
      title: 'the webhook of a held caller says which call it is, who calls and whom',
      play() {
        const told = rooms.parseWebhook(fixtures.webhook().body);
        assert.ok(told.kind === 'call', `it is taken for: ${told.kind}`);
        const { providerCallId: callId, callDomain, from, to } = told;
        assert.deepEqual({ callId, callDomain, from, to }, fixtures.call);
      },
    },
    {
      title: 'a trial webhook is taken for genuine, and starts no call',
      play() {
        const { headers, body } = rooms.trialWebhook(secret, Date.now());
        assert.equal(verifies({ headers, body }), true);
        assert.equal(
          rooms.parseWebhook(body).kind,
          'invalid',
          'as a call without what a call has: it is answered with 400',
        );
      },
    },
    {
      title: 'a webhook that says nothing, or something odd, starts no call',
      play() {
        for (const odd of ['{}', '[]', 'null', '7', '"call"']) assert.notEqual(kindOf(odd), 'call', odd);
        assert.throws(() => kindOf('no JSON'), SyntaxError);
        const { callId } = fixtures.call;
        const genuine = fixtures.webhook().body.toString();
        for (const odd of ['', '\\u0000', 'x'.repeat(10_000)]) {
          assert.notEqual(kindOf(genuine.replaceAll(callId, odd)), 'call', JSON.stringify(odd.slice(0, 20)));
        }
      },
    },
  ];
}
