import type { AnswerDial, AnswerStep, AnswerStream } from '../../../../src/providers/carrier.js';
import { plivo } from '../../../../src/providers/plivo/provider.js';
import { CallDocuments } from '../../../../src/runner/calls/carrier/call-documents.js';
import { CarrierCall, type NewCarrierCall } from '../../../../src/runner/calls/carrier/carrier-call.js';
import { ownSigner } from '../../../../src/runner/calls/carrier/stream-pass.js';
import { type CallTicket, CallTickets } from '../../../../src/runner/dialing/call-tickets.js';
import { WebhookAddresses, withQuery } from '../../../../src/runner/http/webhook-addresses.js';
import { parseXml } from '../../../../src/sandbox/carrier/xml.js';

const PUBLIC_URL = 'https://bot.example.com';
const MAX_STREAM_URL_LENGTH = 2_048;
const DAY_MS = 24 * 60 * 60 * 1_000;

const tickets = new CallTickets('test-auth-token');
const addresses = new WebhookAddresses(PUBLIC_URL);
const withoutStreamQuery = { ...plivo, capabilities: { ...plivo.capabilities, allowsStreamQuery: false } };
const newDocuments = (carrier = plivo) => new CallDocuments({ carrier, addresses, tickets, transferLimitS: 3_600 });
const documents = newDocuments();

afterEach(() => jest.restoreAllMocks());

const inbound = (call: Partial<NewCarrierCall> = {}): CarrierCall =>
  new CarrierCall(
    { id: 'c7f3d1a0', isDialled: false, body: {}, query: {}, providerCallId: 'c7f3d1a0', ...call },
    ownSigner(),
  );
const dialled = (call: Partial<NewCarrierCall> = {}): CarrierCall =>
  inbound({ id: 'out_A1b2C3', isDialled: true, providerCallId: undefined, ...call });
/** Custom data of exactly so many bytes as JSON. */
const bodyOf = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

function streamOf(steps: readonly AnswerStep[]): AnswerStream {
  const [step] = steps;
  if (step?.do !== 'stream' || steps.length !== 1) throw new Error(`no stream: ${JSON.stringify(steps)}`);
  return step.stream;
}
function dialOf(steps: readonly AnswerStep[]): AnswerDial {
  const [step] = steps;
  if (step?.do !== 'dial' || steps.length !== 1) throw new Error(`no call: ${JSON.stringify(steps)}`);
  return step.dial;
}
const queryOf = (address: string) => new URL(address).searchParams;
const ticketIn = (address: string) => tickets.read(queryOf(address));
const namesIn = (address: string) => [...queryOf(address).keys()];
/** The stream's address as the carrier finds it in the document. */
function streamAddress(steps: readonly AnswerStep[]): string {
  const stream = parseXml(plivo.answerDocument(steps)).children.find(({ name }) => name === 'Stream');
  return stream?.text ?? '';
}

describe('the document of an inbound call', () => {
  test('names the stream with the call and its pass, and where to go on', () => {
    const session = inbound();
    expect(documents.stream(session, 1)).toEqual([
      {
        do: 'stream',
        stream: {
          url: 'wss://bot.example.com/ws',
          parameters: { call_id: 'c7f3d1a0', token: session.passOf(1).token },
          continueUrl: `${PUBLIC_URL}/resume?stream_no=1`,
          statusUrl: `${PUBLIC_URL}/stream-status`,
        },
      },
    ]);
  });

  test('hands custom parameters on to the stream and to what follows it', () => {
    const query = { user_id: '42', campaign: 'spring & fall' };
    const session = inbound({ query });
    const { parameters, continueUrl } = streamOf(documents.stream(session, 1));
    expect(parameters).toEqual({ call_id: 'c7f3d1a0', token: session.passOf(1).token, ...query });
    expect(continueUrl).toBe(`${PUBLIC_URL}/resume?user_id=42&campaign=spring+%26+fall&stream_no=1`);
  });
});

test.each([
  ['an inbound call', inbound({ query: { user_id: '42' } })],
  ['a dialled call', dialled({ body: { name: 'Zoë' } })],
])('the document of %s is the same however late it is asked for again, until its pass is renewed', (_, session) => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
  const first = documents.stream(session, 1);
  now.mockReturnValue(1_700_000_017_000);
  expect(documents.stream(session, 1)).toEqual(first);
  expect(documents.stream(session, 2)).not.toEqual(first);
});

describe('the document of a dialled call', () => {
  test('carries the custom data in both addresses', () => {
    const session = dialled({ body: { name: 'Zoë' }, query: { user_id: '42' } });
    const steps = documents.stream(session, 1);
    const ticket: CallTicket = { callId: 'out_A1b2C3', body: { name: 'Zoë' } };
    for (const address of [streamAddress(steps), streamOf(steps).continueUrl]) {
      expect(ticketIn(address)).toEqual(ticket);
      expect(queryOf(address).get('user_id')).toBe('42');
    }
    expect(queryOf(streamAddress(steps)).get('token')).toBe(session.passOf(1).token);
    expect(namesIn(streamOf(steps).continueUrl)).not.toContain('token');
  });

  test('carries empty custom data too', () => {
    const steps = documents.stream(dialled(), 1);
    expect(ticketIn(streamAddress(steps))).toEqual({ callId: 'out_A1b2C3', body: {} });
  });

  test('has a stream address of 2,048 characters with everything, and of one more without the custom data', () => {
    const body = { name: 'Zoë' };
    const bare = streamAddress(documents.stream(dialled({ body, query: { pad: '' } }), 1));
    const pad = 'x'.repeat(MAX_STREAM_URL_LENGTH - bare.length);
    const whole = streamAddress(documents.stream(dialled({ body, query: { pad } }), 1));
    expect(whole).toHaveLength(MAX_STREAM_URL_LENGTH);
    expect(ticketIn(whole)).toEqual({ callId: 'out_A1b2C3', body });

    const session = dialled({ body, query: { pad: `${pad}x` } });
    const steps = documents.stream(session, 1);
    const address = streamAddress(steps);
    expect(ticketIn(address)).toBeUndefined();
    expect([...queryOf(address)]).toEqual([
      ['call_id', session.id],
      ['token', session.passOf(1).token],
      ['pad', `${pad}x`],
    ]);
    expect(ticketIn(streamOf(steps).continueUrl)).toEqual({ callId: 'out_A1b2C3', body });
  });

  test('leaves out custom parameters too when they alone are too long, and never the pass', () => {
    const query = { pad: 'x'.repeat(MAX_STREAM_URL_LENGTH) };
    for (const session of [dialled({ query }), inbound({ query })]) {
      const steps = documents.stream(session, 1);
      expect([...queryOf(streamAddress(steps))]).toEqual([
        ['call_id', session.id],
        ['token', session.passOf(1).token],
      ]);
      expect(queryOf(streamOf(steps).continueUrl).get('pad')).toBe(query.pad);
    }
  });

  test('counts characters as they stand in the address', () => {
    const session = dialled({ query: { pad: '日'.repeat(220) } }); // nine characters each
    const address = streamAddress(documents.stream(session, 1));
    expect(address.length).toBeLessThanOrEqual(MAX_STREAM_URL_LENGTH);
    expect(namesIn(address)).toEqual(['call_id', 'token']);
  });

  test('fits the carrier’s limit with custom data of any size, and names call and pass', () => {
    for (let bytes = 11; bytes <= 8_192; bytes += 37) {
      const session = dialled({ body: bodyOf(bytes) });
      const steps = documents.stream(session, 1);
      const address = streamAddress(steps);
      expect(address.length).toBeLessThanOrEqual(MAX_STREAM_URL_LENGTH);
      expect(queryOf(address).get('call_id')).toBe(session.id);
      expect(queryOf(address).get('token')).toBe(session.passOf(1).token);
      expect(ticketIn(streamOf(steps).continueUrl)).toEqual({ callId: session.id, body: session.body });
    }
  });

  test('with 8 KiB of custom data has it whole in the addresses of the answer and what follows, not in the stream’s', () => {
    const session = dialled({ body: bodyOf(8_192) });
    expect(Buffer.byteLength(JSON.stringify(session.body))).toBe(8_192);
    const steps = documents.stream(session, 1);
    const { answerUrl } = documents.dialled(session);
    expect(ticketIn(answerUrl)).toEqual({ callId: session.id, body: session.body });
    expect(ticketIn(streamOf(steps).continueUrl)).toEqual({ callId: session.id, body: session.body });
    expect(namesIn(streamAddress(steps))).toEqual(['call_id', 'token']);
    expect(answerUrl.length).toBeLessThan(12_000);
  });
});

describe('for a carrier whose streams can have no query', () => {
  const other = newDocuments(withoutStreamQuery);

  test('call and pass stand in the path, and custom parameters apart', () => {
    const session = inbound({ query: { user_id: '42' } });
    expect(streamOf(other.stream(session, 1))).toMatchObject({
      url: `wss://bot.example.com/ws/c7f3d1a0/${session.passOf(1).token}`,
      parameters: { user_id: '42' },
    });
    expect(streamOf(other.stream(inbound(), 1)).parameters).toEqual({});
  });

  test('the custom data of a dialled call stands with the parameters', () => {
    const { parameters } = streamOf(other.stream(dialled({ body: { name: 'Zoë' } }), 1));
    expect(tickets.read(new URLSearchParams(parameters))).toEqual({ callId: 'out_A1b2C3', body: { name: 'Zoë' } });
    expect(Object.keys(parameters)).not.toContain('token');
  });

  test('an identifier with any characters is one segment of the path', () => {
    const session = inbound({ id: 'v3:a/b?c#d' });
    expect(streamOf(other.stream(session, 1)).url).toBe(
      `wss://bot.example.com/ws/v3%3Aa%2Fb%3Fc%23d/${session.passOf(1).token}`,
    );
  });

  test('the address and what is said with it stay within 2,048 characters together', () => {
    for (const bytes of [100, 1_000, 1_400, 1_500, 2_000, 8_192]) {
      const { url, parameters } = streamOf(other.stream(dialled({ body: bodyOf(bytes) }), 1));
      expect(withQuery(url, parameters).length).toBeLessThanOrEqual(MAX_STREAM_URL_LENGTH);
      expect('body' in parameters).toBe(bytes <= 1_400);
    }
  });
});

describe('the addresses of a call that we dial', () => {
  test('carry the call, and only that of its answer what its bot is to know', () => {
    const session = dialled({ body: { name: 'Zoë' }, query: { user_id: '42' } });
    const { answerUrl, ringUrl, hangupUrl, machineUrl } = documents.dialled(session);
    expect(answerUrl).toMatch(`${PUBLIC_URL}/answer?`);
    expect(ticketIn(answerUrl)).toEqual({ callId: session.id, body: { name: 'Zoë' } });
    expect(queryOf(answerUrl).get('user_id')).toBe('42');
    for (const [path, address] of Object.entries({ ring: ringUrl, hangup: hangupUrl, machine: machineUrl })) {
      expect(address).toMatch(`${PUBLIC_URL}/${path}?`);
      expect(ticketIn(address)).toEqual({ callId: session.id });
      expect(namesIn(address)).toEqual(['call_id', 'expires', 'signature']);
    }
  });

  test('are good for as long as a call can last', () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
    const { answerUrl, hangupUrl } = documents.dialled(dialled());
    const stream = streamAddress(documents.stream(dialled(), 1));
    now.mockReturnValue(1_700_000_000_000 + DAY_MS - 1);
    for (const address of [answerUrl, hangupUrl, stream])
      expect(ticketIn(address)).toMatchObject({ callId: 'out_A1b2C3' });
    now.mockReturnValue(1_700_000_000_000 + DAY_MS);
    for (const address of [answerUrl, hangupUrl, stream]) expect(ticketIn(address)).toBe('refused');
  });
});

describe('the document of a transfer', () => {
  const numbers = { from: '+12025550142', to: '+12025550100' };

  test.each([
    ['an inbound call shows the number that was called', inbound(), '+12025550100'],
    ['a dialled call shows the number that called', dialled(), '+12025550142'],
  ])('of %s: the bot’s own', (_, session, callerId) => {
    const { outcomeUrl, statusUrl, ...dial } = dialOf(documents.dial(session, { to: '+12025550101', no: 1 }, numbers));
    expect(dial).toEqual({ to: '+12025550101', callerId, ringTimeoutS: 30, timeLimitS: 3_600 });
    const ticket: CallTicket = { callId: session.id, transferTo: '+12025550101', transferNo: 1 };
    expect(outcomeUrl).toMatch(`${PUBLIC_URL}/transfer-ended?`);
    expect(statusUrl).toMatch(`${PUBLIC_URL}/transfer-status?`);
    expect([ticketIn(outcomeUrl), ticketIn(statusUrl)]).toEqual([ticket, ticket]);
  });

  test('is found at an address that says where to', () => {
    const address = documents.transferUrl(inbound(), { to: '+12025550101', no: 1 });
    expect(address).toMatch(`${PUBLIC_URL}/transfer?`);
    expect(ticketIn(address)).toEqual({ callId: 'c7f3d1a0', transferTo: '+12025550101', transferNo: 1 });
    expect(ticketIn(address.replace('%2B12025550101', '%2B12025550102'))).toBe('refused');
  });
});

test('an apology is played, and then the call ends', () => {
  expect(documents.apology()).toEqual([{ do: 'play', url: `${PUBLIC_URL}/prompts/apology.wav` }, { do: 'hangup' }]);
});
