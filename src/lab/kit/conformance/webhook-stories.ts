import assert from 'node:assert/strict';
import type { SignedRequest, WebhookContent } from '../../../providers/carrier.js';
import type { ConformanceStory, Tried } from './carrier-fixtures.js';

/** What is asked of the signatures and the words of webhooks. */
export function webhookStories({ extension: { carrier }, fixtures }: Tried): ConformanceStory[] {
  const { account, unsigned = [] } = fixtures;
  const verifies = (request: SignedRequest, credentials: Partial<typeof account> = {}) =>
    carrier.verifyWebhook(request, { ...account, ...credentials });
  const refused = (request: SignedRequest, what: string, credentials?: Partial<typeof account>) =>
    assert.equal(verifies(request, credentials), false, `accepted: ${what}`);
  const parse = (content: Partial<WebhookContent>) =>
    carrier.parseWebhook({ parameters: new Map(), body: Buffer.alloc(0), contentType: '', ...content });
  return [
    {
      title: 'a genuine webhook is accepted',
      play: () => assert.equal(verifies(fixtures.webhook()), true),
    },
    {
      title: 'a webhook without a signature, or with any character of it changed, is refused',
      play() {
        const request = fixtures.webhook();
        const signature = String(request.headers[carrier.signatureHeader] ?? '');
        assert.notEqual(signature, '', `the fixture has no ${carrier.signatureHeader}`);
        const names = Object.keys(request.headers).filter(isSignature); // some carriers sign for the main account too
        const signed = (changed: string | undefined) => ({
          ...request,
          headers: { ...request.headers, ...Object.fromEntries(names.map((name) => [name, changed])) },
        });
        refused(signed(undefined), 'no signature');
        refused(signed(''), 'an empty signature');
        for (const [at, other] of changedSignatures(signature).entries())
          refused(signed(other), `character ${at} changed`);
      },
    },
    {
      title: 'a webhook of another account, and any where no secret is set, is refused',
      play() {
        const key = account.publicKey === undefined ? 'authToken' : 'publicKey';
        refused(fixtures.webhook(), 'another secret', { [key]: Buffer.from('x'.repeat(32)).toString('base64') });
        refused(fixtures.webhook(), 'no secret', { [key]: '' });
      },
    },
    {
      title: 'a webhook that was changed on its way is refused, where its signature covers that',
      play() {
        const request = fixtures.webhook();
        if (!unsigned.includes('body')) {
          refused({ ...request, ...changedBody(request) }, 'another body');
        }
        const elsewhere = { ...request, url: request.url.replace(new URL(request.url).host, 'other.example.com') };
        const coversAddress = !verifies(elsewhere);
        assert.ok(coversAddress || !unsigned.includes('body'), 'neither the address nor the body is covered');
        if (coversAddress && !unsigned.includes('query')) {
          refused({ ...request, url: `${request.url}${request.url.includes('?') ? '&' : '?'}x=1` }, 'another query');
        }
      },
    },
    {
      title: 'what is signed once is known by its nonce, and by no other',
      play() {
        const [one, other] = [fixtures.webhook(), fixtures.webhook()];
        const nonce = carrier.webhookNonce?.(one.headers);
        assert.equal(carrier.webhookNonce?.(one.headers), nonce);
        if (nonce === undefined) return; // its requests have none
        assert.equal(carrier.webhookNonce?.({}), undefined);
        if (carrier.webhookNonce?.(other.headers) === nonce) return assert.deepEqual(one.headers, other.headers); // of one second
        const ofOther = Object.entries(other.headers).filter(([name]) => !isSignature(name));
        refused({ ...one, headers: { ...one.headers, ...Object.fromEntries(ofOther) } }, 'the nonce of another');
      },
    },
    {
      title: 'a trial webhook is taken for genuine, and tells of no call',
      play() {
        if (!carrier.trialWebhook) return; // only the carrier has the key
        const url = 'https://bot.example.com/answer';
        const { headers, body } = carrier.trialWebhook(url, account);
        const form = [...new URLSearchParams(body.toString())];
        assert.equal(verifies({ method: 'POST', url, form, body, headers }), true);
      },
    },
    {
      title: 'the webhook of an incoming call says which call it is, who calls and whom',
      play() {
        const { event, providerCallId, from, to, direction } = carrier.parseWebhook(contentOf(fixtures.webhook()));
        const { callId, ...numbers } = fixtures.call;
        const expected = { event: 'answer', providerCallId: callId, ...numbers, direction: 'inbound' };
        assert.deepEqual({ event, providerCallId, from, to, direction }, expected);
      },
    },
    {
      title: 'a webhook that says nothing, or something odd, is read and names no call',
      play() {
        assert.equal(parse({}).providerCallId, undefined);
        for (const odd of ['', '../../x', 'a/b', '\u0000', 'x'.repeat(10_000), '[]', '{}']) {
          const parameters = new Map(
            Object.entries({ [carrier.callIdParameter]: odd, From: odd, To: odd, Direction: odd }),
          );
          const { providerCallId } = parse({ parameters, body: Buffer.from(odd), contentType: 'application/json' });
          assert.equal(providerCallId, undefined, JSON.stringify(odd.slice(0, 20)));
        }
      },
    },
  ];
}

/**
 * One for each character that is another one, in base64 and in hexadecimal. The last characters stay: in base64 they may hold bits that mean
 * nothing. @internal
 */
export const changedSignatures = (signature: string): string[] =>
  Array.from({ length: Math.max(0, signature.length - 3) }, (_, at) => {
    const other = signature[at] === '0' ? '1' : '0';
    return signature.slice(0, at) + other + signature.slice(at + 1);
  });

/** Whether a header holds a signature, and not what is signed along. @internal */
export const isSignature = (name: string) => name.includes('signature') && !/nonce|timestamp/.test(name);

function changedBody({ form, body }: SignedRequest): Pick<SignedRequest, 'form' | 'body'> {
  const [first, ...others] = form;
  if (!first) return { form, body: Buffer.concat([body, Buffer.from(' ')]) };
  const changed: SignedRequest['form'] = [[first[0], `${first[1]}0`], ...others];
  const written = new URLSearchParams();
  for (const [name, value] of changed) written.append(name, value);
  return { form: changed, body: Buffer.from(written.toString()) };
}

function contentOf({ url, form, body, headers }: SignedRequest): WebhookContent {
  const contentType = String(headers['content-type'] ?? '')
    .replace(/;.*$/s, '')
    .trim();
  return { parameters: new Map([...new URL(url).searchParams, ...form]), body, contentType };
}
