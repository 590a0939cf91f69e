import { createHash } from 'node:crypto';
import twilio from 'twilio';

type Form = ReadonlyArray<readonly [name: string, value: string]>;

export interface SignatureVector {
  readonly title: string;
  readonly kind: 'form' | 'body' | 'upgrade';
  /** As the request came, and as the carrier was given it unless it has signed another way to write it. */
  readonly url: string;
  readonly form: Form;
  /** What a webhook brings that brings no form. */
  readonly body: string;
  readonly signature: string;
}

export const AUTH_TOKEN = '9f2c4e6a8b0d1f3a5c7e9b1d3f5a7c9e';

const CALL: Form = [
  ['CallSid', 'CA5d41402abc4b2a76b9719d911017c592'],
  ['AccountSid', 'AC0123456789abcdef0123456789abcdef'],
  ['From', '+12025550101'],
  ['To', '+12025550100'],
  ['CallStatus', 'ringing'],
  ['Direction', 'inbound'],
];

const FORMS: Readonly<Record<string, Form>> = {
  'no form': [],
  'a call': CALL,
  'fields out of order': CALL.toReversed(),
  'an empty value': [...CALL, ['CallerName', '']],
  'an empty name': [['', 'x'], ...CALL],
  'letters beyond ASCII': [['CallerName', 'Zoë Müller 山田 📞'], ...CALL],
  'names beyond ASCII': [
    ['é', '1'],
    ['z', '2'],
    ['𝒳', '3'],
    ['ﬀ', '4'],
    ['Z', '5'],
  ],
  'a field given twice': [['Digits', '2'], ['Digits', '1'], ...CALL],
  'the same value given twice': [['Digits', '1'], ['Digits', '1'], ...CALL],
  'names that begin alike': [
    ['ab', 'c'],
    ['a', 'bc'],
    ['abc', ''],
    ['A', 'BC'],
  ],
  'line breaks and markup': [
    ['Body', 'a\r\nb\t<c> & "d"'],
    ['SpeechResult', "it's 100% = ok + fine"],
  ],
};

const ADDRESSES: Readonly<Record<string, string>> = {
  'a path': 'https://a.example.dev/answer',
  'the root': 'https://a.example.dev/',
  'a query': 'https://a.example.dev/resume?stream_no=2&user_id=17',
  'an encoded query': 'https://a.example.dev/ring?body=%7B%22name%22%3A%22Zo%C3%AB%22%7D&plus=a+b&t=%2B',
  'a port': 'https://a.example.dev:8443/answer',
  'the default port': 'https://a.example.dev:443/answer?x=1',
  'plain HTTP': 'http://a.example.dev/answer',
  'loopback with a port': 'http://127.0.0.1:4711/hangup?call_id=abc',
  'an IPv6 host': 'http://[::1]:8080/answer',
};

const UPGRADES: Readonly<Record<string, string>> = {
  'a pass in the path': 'wss://a.example.dev/ws/9b1d3f5a-7c9e/Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4',
  'a slash at the end': 'wss://a.example.dev/ws/1/',
  'a port': 'wss://a.example.dev:8443/ws/1',
  'the sandbox': 'ws://127.0.0.1:4711/ws/1/pass',
};

/** A form as the vendor's package takes it: a repeated field is a list. */
function fieldsOf(form: Form): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of form) {
    const known = fields[name];
    fields[name] = known === undefined ? value : [known, value].flat();
  }
  return fields;
}

const sign = (url: string, form: Form) => twilio.getExpectedTwilioSignature(AUTH_TOKEN, url, fieldsOf(form));

function vectorsOf(): SignatureVector[] {
  const vectors: SignatureVector[] = [];
  const add = (
    title: string,
    vector: Pick<SignatureVector, 'kind' | 'url'> & Partial<SignatureVector>,
    signed?: string,
  ) => {
    const { form = [], body = '', url } = vector;
    vectors.push({ ...vector, title, form, body, signature: sign(signed ?? url, form) });
  };
  for (const [address, url] of Object.entries(ADDRESSES)) {
    for (const name of ['no form', 'a call', 'letters beyond ASCII']) {
      add(`${address}, ${name}`, { kind: 'form', url, form: FORMS[name] as Form });
    }
  }
  for (const [name, form] of Object.entries(FORMS)) {
    add(`${name}, with a query`, { kind: 'form', url: ADDRESSES['an encoded query'] as string, form });
  }
  for (const body of ['{"CallSid":"CA1"}', '{}', '["é"]', '<x/>']) {
    const hash = createHash('sha256').update(body).digest('hex');
    add(`the body ${body}`, { kind: 'body', url: `https://a.example.dev/events?x=1&bodySHA256=${hash}`, body });
  }
  for (const [address, url] of Object.entries(UPGRADES)) add(`an upgrade, ${address}`, { kind: 'upgrade', url });
  // The carrier may leave a port out of what it signs, or name the default one.
  for (const [url, signed] of [
    ['https://a.example.dev:8443/answer', 'https://a.example.dev/answer'],
    ['https://a.example.dev/answer', 'https://a.example.dev:443/answer'],
    ['http://a.example.dev/answer', 'http://a.example.dev:80/answer'],
  ] as const) {
    add(`${url} signed as ${signed}`, { kind: 'form', url, form: CALL }, signed);
  }
  return vectors;
}

export const VECTORS = vectorsOf();

/** Whether the vendor's package accepts a request. */
export function isAcceptedByVendor(vector: SignatureVector, authToken = AUTH_TOKEN): boolean {
  const { kind, url, form, body, signature } = vector;
  try {
    if (kind === 'body') return twilio.validateRequestWithBody(authToken, signature, url, body);
    return twilio.validateRequest(authToken, signature, url, fieldsOf(form));
  } catch {
    return false; // no address
  }
}
