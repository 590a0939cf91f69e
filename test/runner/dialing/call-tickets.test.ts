import fc from 'fast-check';
import { asCallId } from '../../../src/call/call-id.js';
import { plivo } from '../../../src/providers/plivo/provider.js';
import {
  type CallTicket,
  CallTickets,
  customParameters,
  RESERVED_PARAMETERS,
} from '../../../src/runner/dialing/call-tickets.js';

const tickets = new CallTickets('the secret of the account');
const WHOLE: CallTicket = { callId: 'out_1', body: { name: 'Zoë', steps: [1, 2] }, transferTo: '+12025550101' };

afterEach(() => jest.restoreAllMocks());

/** What arrives after an address has been written down and read again. */
const travelled = (parameters: Record<string, string>) =>
  new URLSearchParams(new URLSearchParams(parameters).toString());
const issued = (ticket: CallTicket = WHOLE, validForS = 60) => tickets.issue(ticket, validForS);

describe('a ticket', () => {
  test.each<[string, CallTicket]>([
    ['everything', WHOLE],
    ['a call alone', { callId: 'out_1' }],
    ['empty custom data', { callId: 'out_1', body: {} }],
    ['a transfer', { callId: '1f0c-22', transferTo: '+12025550101' }],
  ])('is read as it was issued with %s', (_, ticket) => {
    expect(tickets.read(travelled(issued(ticket)))).toEqual(ticket);
  });

  test('carries any JSON in any script, in characters that need no escaping in an address', () => {
    const anyBody = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(anyBody, (made) => {
        const body = JSON.parse(JSON.stringify(made));
        const parameters = issued({ callId: 'out_1', body });
        expect(parameters.body).toMatch(/^[\w-]+$/);
        expect(parameters.signature).toMatch(/^[\w-]{43}$/);
        expect(tickets.read(travelled(parameters))).toEqual({ callId: 'out_1', body });
      }),
    );
  });

  test('keeps custom data called __proto__ as plain data', () => {
    const body = JSON.parse('{"__proto__":{"isAdmin":true}}');
    const read = tickets.read(travelled(issued({ callId: 'out_1', body }))) as CallTicket;
    expect(Object.keys(read.body ?? {})).toEqual(['__proto__']);
    expect((read.body as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test('is read beside custom parameters and those of the carrier', () => {
    const query = travelled({ campaign: 'spring', ...issued(), From: '12025550142' });
    expect(tickets.read(query)).toEqual(WHOLE);
  });

  test('is read by a runner started later with the same secret', () => {
    expect(new CallTickets('the secret of the account').read(travelled(issued()))).toEqual(WHOLE);
  });

  test('is absent from an address that claims nothing', () => {
    expect(tickets.read(new URLSearchParams())).toBeUndefined();
    expect(tickets.read(travelled({ call_id: 'out_1', token: 'pass', campaign: 'spring' }))).toBeUndefined();
  });

  test('is good for as long as it says, and not a second longer', () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
    const query = travelled(issued(WHOLE, 60));
    now.mockReturnValue(1_700_000_059_999);
    expect(tickets.read(query)).toEqual(WHOLE);
    now.mockReturnValue(1_700_000_060_000);
    expect(tickets.read(query)).toBe('refused');
  });
});

describe('refused is a ticket', () => {
  test('of which any one character was changed, left out or added', () => {
    const original = issued();
    for (const [name, value] of Object.entries(original)) {
      for (let at = 0; at <= value.length; at += 1) {
        const [before, after] = [value.slice(0, at), value.slice(at)];
        const other = after.startsWith('A') ? 'B' : 'A';
        const changed = [
          before + after.slice(1),
          `${before}A${after}`,
          `${before}0${after}`,
          before + other + after.slice(1),
        ];
        for (const forged of changed.filter((text) => text !== value)) {
          expect([name, forged, tickets.read(travelled({ ...original, [name]: forged }))]).toEqual([
            name,
            forged,
            'refused',
          ]);
        }
      }
    }
  });

  test('whose unused bits at the end of base64 were changed', () => {
    const { body = '', ...rest } = issued({ callId: 'out_1', body: { a: 1 } });
    expect(Buffer.byteLength(JSON.stringify({ a: 1 })) % 3).toBe(1);
    const twin = `${body.slice(0, -1)}${String.fromCharCode(body.charCodeAt(body.length - 1) + 1)}`;
    expect(Buffer.from(twin, 'base64url')).toEqual(Buffer.from(body, 'base64url'));
    expect(tickets.read(travelled({ ...rest, body: twin }))).toBe('refused');
  });

  test.each(Object.keys(issued()))('without its %s', (name) => {
    const { [name]: _, ...rest } = issued();
    expect(tickets.read(travelled(rest))).toBe('refused');
  });

  test.each(Object.keys(issued()))('with its %s twice, the same or another', (name) => {
    const value = issued()[name] ?? '';
    for (const second of [value, `${value}x`, '']) {
      const query = travelled(issued());
      query.append(name, second);
      expect(tickets.read(query)).toBe('refused');
    }
  });

  test.each([
    ['body', Buffer.from('{"price":0}').toString('base64url')],
    ['body', ''],
    ['transfer_to', '+12025550199'],
    ['transfer_to', ''],
  ])('to which a %s was added', (name, value) => {
    const query = travelled(issued({ callId: 'out_1' }));
    query.append(name, value);
    expect(tickets.read(query)).toBe('refused');
  });

  test.each([
    ['another call', issued({ ...WHOLE, callId: 'out_2' })],
    ['the same call with other data', issued({ ...WHOLE, body: { price: 0 } })],
    ['the same call without a transfer', issued({ callId: WHOLE.callId, body: WHOLE.body })],
  ])('with a body, a destination or a signature out of the ticket of %s', (_, other) => {
    const own = issued();
    for (const [name, value] of Object.entries(other)) {
      if (value !== own[name]) expect(tickets.read(travelled({ ...own, [name]: value }))).toBe('refused');
    }
  });

  test('whose address was cut off anywhere', () => {
    const whole = new URLSearchParams(issued()).toString();
    for (let length = whole.indexOf('&') + 2; length < whole.length; length += 1) {
      const read = tickets.read(new URLSearchParams(whole.slice(0, length)));
      // A name that is cut off is another name: until the first whole one nothing is claimed, and nothing is given.
      expect(read === undefined ? whole.slice(0, length) : read).toMatch(/^(refused|call_id=out_1&bo?d?)$/);
    }
  });

  test('whose names were moved into the values before them', () => {
    const { call_id, expires, transfer_to, signature } = issued({ callId: 'out_1', transferTo: '+12025550101' });
    const claims: Record<string, string>[] = [
      { call_id: `${call_id}\nexpires=${expires}\ntransfer_to=${transfer_to}` },
      { call_id: `${call_id}\nexpires=${expires}`, transfer_to: `${transfer_to}` },
      { call_id: `${call_id}`, expires: `${expires}\ntransfer_to=${transfer_to}` },
    ];
    for (const claim of claims)
      expect(tickets.read(travelled({ ...claim, signature: `${signature}` }))).toBe('refused');
  });

  test('of another secret', () => {
    expect(new CallTickets('another secret').read(travelled(issued()))).toBe('refused');
    expect(new CallTickets('').read(travelled(issued()))).toBe('refused');
  });

  test.each(['', 'x', 'ä'.repeat(43), 'A'.repeat(43), 'A'.repeat(10_000)])('whose signature is %j', (signature) => {
    expect(tickets.read(travelled({ ...issued(), signature }))).toBe('refused');
  });

  test('that nobody has issued, whatever it claims', () => {
    const claim = fc.constantFrom('call_id', 'body', 'transfer_to', 'expires', 'signature');
    fc.assert(
      fc.property(fc.array(fc.tuple(claim, fc.string()), { minLength: 1 }), (claims) => {
        const read = tickets.read(new URLSearchParams(claims));
        expect(read === undefined || read === 'refused').toBe(true);
      }),
    );
  });
});

describe('custom parameters', () => {
  const custom = (query: string) => customParameters(new URLSearchParams(query), plivo.isWebhookParameter);

  test('are what is neither ours nor the carrier’s', () => {
    expect(custom('user_id=42&campaign_id=spring+%26+fall&empty=')).toEqual({
      user_id: '42',
      campaign_id: 'spring & fall',
      empty: '',
    });
  });

  test.each([...RESERVED_PARAMETERS])('cannot be called %s', (name) => {
    expect(custom(`${name}=mine&user_id=42`)).toEqual({ user_id: '42' });
  });

  test('leave out what the carrier adds to the same query', () => {
    expect(custom('CallUUID=1&From=12025550142&X-PH-Team=blue&user_id=42')).toEqual({ user_id: '42' });
  });

  test('are at most 20, the first ones', () => {
    const query = Array.from({ length: 25 }, (_, n) => `p${n}=${n}`).join('&');
    expect(Object.keys(custom(query))).toEqual(Array.from({ length: 20 }, (_, n) => `p${n}`));
  });

  test('are at most 256 characters long', () => {
    const [most, more] = ['é'.repeat(256), 'é'.repeat(257)];
    expect(custom(`most=${encodeURIComponent(most)}&more=${encodeURIComponent(more)}`)).toEqual({ most });
  });

  test('called __proto__ or like a method are plain data', () => {
    const read = custom('__proto__=x&constructor=y&toString=z');
    expect(Object.entries(read)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['toString', 'z'],
    ]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  test('given twice count with their last value', () => {
    expect(custom('user_id=1&user_id=2')).toEqual({ user_id: '2' });
  });
});

test('the call beside which another one was dialled is named, and cannot be changed', () => {
  const tickets = new CallTickets('secret');
  const issued = tickets.issue({ callId: asCallId('out_1'), linkedTo: asCallId('call-1') }, 60);
  expect(tickets.read(new URLSearchParams(issued))).toMatchObject({ callId: 'out_1', linkedTo: 'call-1' });
  expect(tickets.read(new URLSearchParams({ ...issued, linked_to: 'call-2' }))).toBe('refused');
  const { linked_to: _, ...without } = issued;
  expect(tickets.read(new URLSearchParams(without))).toBe('refused');
});
