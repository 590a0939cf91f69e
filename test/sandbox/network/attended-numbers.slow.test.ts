import type { CarrierWebhook, MachineDetection, WebhookEvent } from '../../../src/providers/carrier.js';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { CARRIERS, type PlayedCarrier } from '../../carriers/conformance/carriers.js';
import { FakeApplication, type FakeBot, type ReceivedWebhook } from '../fake-application.js';
import { FakeCaller, startFastSandbox } from '../fake-caller.js';

/** As a scripted phone it is busy. */
const NUMBER = '+12025550102';
const [plivo] = CARRIERS as readonly [PlayedCarrier];
const frame = (byte: number): Uint8Array => new Uint8Array(160).fill(byte);
const isOf = (byte: number) => (heard: Uint8Array) => heard.every((each) => each === byte);

/** A carrier, and an application that it knows. */
class Stage implements AsyncDisposable {
  static async start(played: PlayedCarrier, options: Partial<SandboxOptions> = {}): Promise<Stage> {
    const application = await FakeApplication.start(played.account.authToken);
    const [answerUrl, hangupUrl] = [application.url('/answer'), application.url('/news')];
    return new Stage(
      played,
      application,
      await startFastSandbox({ ...played.account, answerUrl, hangupUrl, ...options }),
    );
  }

  private constructor(
    private readonly played: PlayedCarrier,
    readonly application: FakeApplication,
    readonly sandbox: Sandbox,
  ) {}

  attending(acts: Parameters<typeof FakeCaller.attending>[2] = {}): Promise<FakeCaller> {
    return FakeCaller.attending(this.sandbox, NUMBER, acts);
  }

  /** Calls to the number of the application are connected with {@link NUMBER}. */
  connectsCallers(): void {
    const [outcomeUrl, statusUrl] = [this.application.url('/outcome'), this.application.url('/news')];
    const dial = {
      to: NUMBER,
      callerId: this.sandbox.number,
      ringTimeoutS: 30,
      timeLimitS: 60,
      outcomeUrl,
      statusUrl,
    };
    this.application.routes.set('/answer', { body: this.played.carrier.answerDocument([{ do: 'dial', dial }]) });
    this.application.document('/outcome', '');
  }

  /** Has {@link NUMBER} called; once answered, the call streams to the bot. */
  async calls(machineDetection: MachineDetection = 'off'): Promise<string | undefined> {
    const { played, application, sandbox } = this;
    const stream = { url: `ws://${application.host}/ws`, parameters: {}, continueUrl: application.url('/over') };
    application.routes.set('/answer', { body: played.carrier.answerDocument([{ do: 'stream', stream }]) });
    const client = await played.carrier.createRestClient(played.credentials(sandbox.apiUrl));
    const news = application.url('/news');
    const { providerCallId: callId } = await client.placeCall({
      from: sandbox.number,
      to: NUMBER,
      answerUrl: application.url('/answer'),
      ringUrl: news,
      hangupUrl: news,
      machineUrl: news,
      machineDetection,
      ringTimeoutS: 30,
      timeLimitS: 60,
    });
    await client.close();
    return callId;
  }

  async bot(): Promise<{ hears(byte: number): Promise<void>; key(): Promise<string>; says(byte: number): void }> {
    const bot = await this.application.streams.next();
    const start = await this.#message(bot, 'start');
    const codec = this.played.carrier.createCodec(start.streamId);
    return {
      hears: async (byte) => {
        for (;;) if (isOf(byte)((await this.#message(bot, 'audio')).payload)) return;
      },
      key: async () => (await this.#message(bot, 'dtmf')).digit,
      says: (byte) => bot.socket.send(codec.encodeAudio(frame(byte))),
    };
  }

  /** The next webhook of this kind. */
  async news(event: WebhookEvent): Promise<CarrierWebhook> {
    return this.#read(await this.application.webhooks.next((webhook) => this.#read(webhook).event === event));
  }

  /** How a call has ended. */
  async endOf(id: string | undefined): Promise<CarrierWebhook['hangup']> {
    for (;;) {
      const { providerCallId: callId, hangup } = await this.news('hangup');
      if (callId === id) return hangup;
    }
  }

  /** What a caller is told of {@link NUMBER}. */
  async outcome(): Promise<CarrierWebhook['dial']> {
    return this.#read(await this.application.requested('/outcome')).dial;
  }

  #read({ parameters }: ReceivedWebhook): CarrierWebhook {
    return this.played.carrier.parseWebhook({
      parameters: new Map(parameters),
      body: Buffer.from(`${parameters}`),
      contentType: 'application/x-www-form-urlencoded',
    });
  }

  async #message<T extends 'start' | 'audio' | 'dtmf'>(bot: FakeBot, type: T) {
    const { createCodec } = this.played.carrier;
    for (;;) {
      const message = createCodec('').decode(JSON.stringify(await bot.messages.next()));
      if (message.type === type) return message as Extract<typeof message, { type: T }>;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.close();
    await this.application[Symbol.asyncDispose]();
  }
}

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  test('an outgoing call rings the phone that attends its number, which then has the call', async () => {
    await using stage = await Stage.start(played);
    const phone = await stage.attending();
    phone.says = () => frame(0x11);
    const callId = await stage.calls();
    expect(await phone.events.next()).toEqual({ type: 'ringing' });
    expect(await phone.events.next()).toEqual({ type: 'answered' });
    const bot = await stage.bot();
    await bot.hears(0x11);
    bot.says(0x22);
    await phone.heard.next(isOf(0x22));
    phone.client.press('5');
    expect(await bot.key()).toBe('5');
    phone.client.hangUp();
    expect(await phone.ended()).toMatchObject({ code: 4000, source: 'Callee' });
    expect(await stage.endOf(callId)).toMatchObject({ reason: 'caller_hung_up' });
    expect(stage.sandbox.placedCalls.get(NUMBER)).toBe(1);
  });

  test.each([
    ['busy', 'busy'],
    ['declined', 'rejected'],
    ['no_answer', 'no_answer'],
    ['failed', 'telephony_error'],
  ] as const)('one that is not answered, %s, ends as %s', async (outcome, reason) => {
    await using stage = await Stage.start(played);
    const phone = await stage.attending({ outcome });
    const callId = await stage.calls();
    expect(await stage.endOf(callId)).toMatchObject({ reason });
    expect((await phone.ended()).durationMs).toBe(0);
    expect(phone.events.all.map(({ type }) => type)).toEqual(['ringing', 'ended']);
    expect(phone.heard.all).toEqual([]);
  });

  test.each([true, false])('whether a machine answers is as the phone has it: %j', async (isMachine) => {
    await using stage = await Stage.start(played);
    await stage.attending({ isMachine });
    await stage.calls('report');
    expect(await stage.news('machine_detection')).toMatchObject({ isMachine });
  });

  test('a caller is connected with the phone that attends the number of a transfer', async () => {
    await using stage = await Stage.start(played);
    stage.connectsCallers();
    const phone = await stage.attending();
    const caller = await FakeCaller.attach(stage.sandbox);
    phone.says = () => frame(0x11);
    caller.says = () => frame(0x22);
    caller.dial(stage.sandbox);
    await phone.events.next(({ type }) => type === 'ringing');
    await caller.heard.next(isOf(0x11));
    await phone.heard.next(isOf(0x22));
    phone.client.hangUp();
    expect(await phone.ended()).toMatchObject({ code: 4000, source: 'Callee' });
    expect(await stage.outcome()).toMatchObject({ phase: 'ended', outcome: 'completed' });
  });
});

test('a number is as before once the phone that attended it has had its call', async () => {
  await using stage = await Stage.start(plivo);
  const phone = await stage.attending();
  const first = await stage.calls();
  await phone.events.next(({ type }) => type === 'answered');
  expect(await stage.endOf(await stage.calls())).toMatchObject({ reason: 'busy' });
  phone.client.hangUp();
  expect(await stage.endOf(first)).toMatchObject({ reason: 'caller_hung_up' });
  expect(await stage.endOf(await stage.calls())).toMatchObject({ reason: 'busy' });
  await phone.ended();
  await phone.client.attend({ number: NUMBER, outcome: 'declined' });
  expect(await stage.endOf(await stage.calls())).toMatchObject({ reason: 'rejected' });
});

test('of two phones at a number each takes a call, in the order in which they came', async () => {
  await using stage = await Stage.start(plivo);
  const [first, second] = [await stage.attending(), await stage.attending({ outcome: 'failed' })];
  await stage.calls();
  await first.events.next(({ type }) => type === 'answered');
  expect(await stage.endOf(await stage.calls())).toMatchObject({ reason: 'telephony_error' });
  expect((await second.ended()).cause).toBe('Carrier Error');
  expect(await stage.endOf(await stage.calls())).toMatchObject({ reason: 'busy' });
});

test('the number may be written as people write it', async () => {
  await using stage = await Stage.start(plivo);
  const phone = await FakeCaller.attending(stage.sandbox, '1 (202) 555-0102');
  await stage.calls();
  await phone.events.next(({ type }) => type === 'answered');
});

test('a phone that hangs up while it rings declines, and so does one that goes away', async () => {
  await using stage = await Stage.start(plivo);
  for (const leave of [(phone: FakeCaller) => phone.client.hangUp(), (phone: FakeCaller) => phone.client.close()]) {
    const phone = await stage.attending({ ringMs: 60_000 });
    const callId = await stage.calls();
    await phone.events.next(({ type }) => type === 'ringing');
    void leave(phone);
    expect(await stage.endOf(callId)).toMatchObject({ reason: 'rejected' });
  }
});

test('a phone that has gone away no longer attends its number', async () => {
  await using stage = await Stage.start(plivo);
  const phone = await stage.attending();
  await phone.client.close();
  expect(await stage.endOf(await stage.calls())).toMatchObject({ reason: 'busy' });
});

test('a call whose turn comes when the phone for it has gone away fails', async () => {
  await using stage = await Stage.start(plivo, { callsPerSecond: 1, timing: { tickMs: 10 } });
  await using first = await stage.attending();
  const second = await stage.attending();
  await stage.calls();
  const waiting = await stage.calls();
  await second.client.close();
  expect(await stage.endOf(waiting)).toMatchObject({ reason: 'telephony_error' });
  expect(second.events.all).toEqual([]);
  expect(first.events.all).not.toEqual([]);
});

test('a phone that is called when it has left its last call may dial', async () => {
  await using stage = await Stage.start(plivo);
  stage.connectsCallers();
  const phone = await stage.attending({ outcome: 'busy' });
  await stage.calls();
  await phone.ended();
  phone.dial(stage.sandbox);
  await phone.events.next(({ type }) => type === 'answered');
});

test.each(['dial', 'attend'])('a phone that attends a number must not %s', async (what) => {
  await using stage = await Stage.start(plivo);
  const { client } = await stage.attending();
  const closed = new Promise((resolve) => client.once('closed', () => resolve(undefined)));
  if (what === 'dial') client.dial({ from: NUMBER, to: stage.sandbox.number });
  else
    await expect(client.attend({ number: NUMBER })).rejects.toMatchObject({
      code: 'VB_STREAM_CLOSED',
      message: expect.stringContaining('already in a call'),
    });
  await closed;
  expect(await stage.endOf(await stage.calls())).toMatchObject({ reason: 'busy' });
});
