import { deferred } from '../../../src/base/async/deferred.js';
import { type NgrokModule, ngrokProvider } from '../../../src/runner/tunnel/ngrok.js';
import { until } from '../../e2e/processes.js';

const never = new AbortController().signal;
const TOKEN = '2abcDEF_secret';

/** The package as far as it is used. */
class FakeNgrok implements NgrokModule {
  readonly asked: object[] = [];
  closed = 0;
  url: string | null = 'https://brave-owl.ngrok.example';
  result: Promise<unknown> = Promise.resolve();

  async forward(options: object) {
    this.asked.push(options);
    await this.result;
    const close = async () => {
      this.closed += 1;
    };
    return { url: () => this.url, close };
  }
}

const open = (ngrok: FakeNgrok, signal = never) =>
  ngrokProvider({ authtoken: TOKEN, load: async () => ngrok }).open({ port: 7860 }, signal);

test('it leads to the port on this machine, with the token of the account', async () => {
  const ngrok = new FakeNgrok();
  const link = await open(ngrok);
  expect(ngrok.asked).toEqual([{ addr: '127.0.0.1:7860', authtoken: TOKEN }]);
  expect(link).toMatchObject({ url: 'https://brave-owl.ngrok.example', maxConnections: undefined });
  await link.close();
  expect(ngrok.closed).toBe(1);
});

test('without the token nothing is asked', async () => {
  const ngrok = new FakeNgrok();
  const provider = ngrokProvider({ authtoken: undefined, load: async () => ngrok });
  await expect(provider.open({ port: 1 }, never)).rejects.toMatchObject({
    code: 'VB_CREDENTIALS_MISSING',
    message: expect.stringContaining('NGROK_AUTHTOKEN'),
  });
  expect(ngrok.asked).toEqual([]);
});

test('a package that is not installed is named, with how to install it', async () => {
  await expect(ngrokProvider({ authtoken: TOKEN }).open({ port: 1 }, never)).rejects.toMatchObject({
    code: 'VB_TUNNEL_FAILED',
    hint: expect.stringMatching(/npm install @ngrok\/ngrok.*--tunnel cloudflared/),
  });
});

test.each([
  [`authentication failed: Your authtoken: ${TOKEN}\r\n\r\nERR_NGROK_107`, 'VB_CREDENTIALS_REFUSED'],
  [`limited to 1 session of ${TOKEN}\nERR_NGROK_108`, 'VB_TUNNEL_FAILED'],
])('the token that %j repeats is kept out of the error, %s', async (words, code) => {
  const ngrok = new FakeNgrok();
  ngrok.result = Promise.reject(new Error(words));
  const error = await open(ngrok).catch((reason: Error) => reason);
  expect(error).toMatchObject({ code, message: expect.stringContaining('ERR_NGROK_10') });
  expect(`${(error as Error).message} ${(error as Error).stack} ${(error as Error).cause}`).not.toContain(TOKEN);
});

test('an address in the clear is refused and closed', async () => {
  const ngrok = new FakeNgrok();
  ngrok.url = 'http://brave-owl.ngrok.example';
  await expect(open(ngrok)).rejects.toMatchObject({ code: 'VB_TUNNEL_FAILED' });
  expect(ngrok.closed).toBe(1);
});

test('what opens after it was given up is closed', async () => {
  const ngrok = new FakeNgrok();
  const answered = deferred<void>();
  ngrok.result = answered.promise;
  const abort = new AbortController();
  const opening = open(ngrok, abort.signal);
  await until(() => ngrok.asked.length === 1, 'ngrok is asked');
  abort.abort(new Error('enough'));
  await expect(opening).rejects.toThrow('enough');
  answered.resolve();
  await until(() => ngrok.closed === 1, 'the late listener is closed');
});
