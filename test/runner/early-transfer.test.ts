import { randomUUID } from 'node:crypto';
import { deferred } from '../../src/base/async/deferred.js';
import { START } from '../bot/transports/fake-stream.js';
import { callParameters, Document, Stream } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { botFile, RunnerUnderTest } from './runner-under-test.js';

/** A call whose bot has asked the carrier for a transfer, which has closed the stream and not answered. */
class EarlyTransfer implements AsyncDisposable {
  readonly #answered = deferred<undefined>();
  readonly callId = randomUUID();
  readonly said: Array<Record<string, unknown>> = [];
  #address = '';

  private constructor(readonly served: RunnerUnderTest) {
    served.runner.on('bot_output', (line) => {
      if (line.startsWith('{')) this.said.push(JSON.parse(line));
    });
  }

  static async begin(): Promise<EarlyTransfer> {
    const early = new EarlyTransfer(await RunnerUnderTest.start({ botFile: botFile('transferrer.ts') }));
    const { served } = early;
    served.api.respond = ({ method, path }) =>
      method === 'POST' && path !== 'Call/' ? early.#answered.promise : undefined;
    const document = await served.carrier.answer(early.callId, '?to=%2B12025550101');
    const stream = early.connect(document);
    const { body } = await served.api.next('POST', /^Call\/.+/);
    early.#address = String(body.aleg_url);
    stream.socket.send(JSON.stringify({ event: 'stop' }));
    stream.socket.close(1000);
    await stream.closed;
    return early;
  }

  /** The carrier connects the stream of this document, and says of every mark that it has been played. */
  connect(document: Document): Stream {
    const stream = new Stream(document.streamUrl);
    const { socket } = stream;
    const start = { ...START.start, callId: this.callId, streamId: randomUUID() };
    socket.once('open', () => socket.send(JSON.stringify({ ...START, start })));
    socket.on('message', (data) => {
      const { event, name } = JSON.parse(String(data));
      if (event === 'checkpoint') socket.send(JSON.stringify({ event: 'playedStream', name }));
    });
    return stream;
  }

  /** It answers the request for the transfer now. */
  agree(): void {
    this.#answered.resolve(undefined);
  }

  async fetchDocument(): Promise<Document> {
    const { carrier } = this.served;
    return new Document(this.callId, await carrier.tell(this.#address, callParameters(this.callId)));
  }

  /** Nobody has answered. */
  async notPutThrough(dial: Document): Promise<Document> {
    const news = callParameters(this.callId, { DialStatus: 'busy', DialHangupCause: 'USER_BUSY' });
    return new Document(
      this.callId,
      await this.served.carrier.tell(dial.verb('Dial').attributes.get('action') ?? '', news),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
  }
}

afterEach(() => jest.useRealTimers());

test.each(['before', 'after'])(
  'a carrier that closes the stream first, and answers the request %s it comes for the document, gives the caller back to the same bot',
  async (when) => {
    await using early = await EarlyTransfer.begin();
    holdTimers(); // on a busy machine another bot would come to the aid of one that is slow
    if (when === 'before') early.agree();
    const dial = await early.fetchDocument();
    expect(dial.verbs).toEqual(['Dial']);
    if (when === 'after') early.agree();
    const back = early.connect(await early.notPutThrough(dial));
    expect(await back.closed).toBe(1000);
    await early.served.output.next((line) => line.includes('"done"'));
    expect(early.said.slice(0, 2).map(({ event, status, attempt }) => [event, status, attempt])).toEqual([
      ['outcome', 'busy', 1],
      ['done', undefined, 1],
    ]);
    expect(early.served.api.requests.all.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  },
);

test('a caller who hangs up while the carrier is asked is told to the bot when the carrier says so', async () => {
  await using early = await EarlyTransfer.begin();
  await early.served.carrier.hangup(early.callId);
  await early.served.output.next((line) => line.includes('"done"'));
  expect(early.said).toMatchObject([{ event: 'disconnected' }, { event: 'outcome', status: 'caller_left' }, {}]);
  early.agree();
});
