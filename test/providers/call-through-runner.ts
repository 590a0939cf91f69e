import { fileURLToPath } from 'node:url';
import type { Carrier } from '../../src/providers/carrier.js';
import { parseXml } from '../../src/sandbox/carrier/xml.js';
import { RunnerUnderTest } from '../runner/runner-under-test.js';
import { type CarrierLine, LineStream, type News, post, refusedUpgrade } from './carrier-line.js';
import { ScriptedApi } from './plivo/scripted-api.js';

/** What a runner does with one carrier's calls, from HTTP and sockets alone. */
export function describeCallThroughRunner(line: CarrierLine): void {
  const { carrier } = line;
  const codec = carrier.createCodec(line.streamId);
  const tell = (url: string, news: News) => post(url, news, line.signed(url, news));

  test('a call goes from our request to its end', async () => {
    await using api = await ScriptedApi.listen(line.reply);
    await using served = await RunnerUnderTest.start({
      carrier,
      credentials: { ...line.credentials, apiUrl: api.url },
      botFile: fileURLToPath(new URL('echo-bot.mjs', import.meta.url)),
    });

    const body = { name: 'Ada', history: 'x'.repeat(600) };
    const started = await served.startCall({ phone_number: '+12025550101', body }, { query: '?campaign_id=spring' });
    const { call_id: id, carrier_call_id } = started.body;
    expect([started.status, carrier_call_id]).toEqual([202, line.callId]);
    const { answerUrl, newsUrl } = line.placed(api.requests.at(-1)?.body ?? '');

    await tell(newsUrl, line.ringing);
    await served.record(id, { state: 'ringing' });

    expect(await post(answerUrl, line.wantsDocument, {})).toMatchObject({ status: 403 });
    const forged = { ...line.wantsDocument, body: `${line.wantsDocument.body}&More=1` };
    expect(await post(answerUrl, forged, line.signed(answerUrl, line.wantsDocument))).toMatchObject({ status: 403 });
    const answer = await tell(answerUrl, line.wantsDocument);
    const [connect, redirect] = parseXml(answer.body).children;
    const streamUrl = connect?.children[0]?.attributes.get('url') ?? '';
    const { pathname, searchParams, search } = new URL(streamUrl);
    const { token = pathname.split('/')[3], call_id = pathname.split('/')[2] } = Object.fromEntries(searchParams);
    expect([call_id, search !== '']).toEqual([id, carrier.capabilities.allowsStreamQuery]);
    expect(token).toMatch(/^[\w.-]{31}$/);

    const otherPass = streamUrl.replace(token as string, 'A'.repeat(32));
    expect(await refusedUpgrade(otherPass, line.signedUpgrade(otherPass))).toBe(403);
    const signsUpgrades = !carrier.verifyUpgrade({ url: streamUrl, headers: {} }, line.credentials);
    if (signsUpgrades) expect(await refusedUpgrade(streamUrl, {})).toBe(403);
    const stream = await LineStream.open(line, streamUrl);
    expect(JSON.parse(await stream.received.next())).toEqual({
      event: 'hello',
      call: { id, direction: 'outbound', from: '+12025550100', isWithheld: false, to: '+12025550101', attempt: 1 },
      body,
      query: { campaign_id: 'spring' },
    });
    const payload = Buffer.alloc(160, 0x55);
    stream.socket.send(line.says('media', { track: 'inbound', chunk: '1', payload: payload.toString('base64') }));
    expect(codec.decode(await stream.received.next())).toEqual({ type: 'audio', payload });
    expect(await refusedUpgrade(streamUrl, line.signedUpgrade(streamUrl))).toBe(403);
    stream.socket.send(line.says('dtmf', { digit: '#' }));
    expect(await stream.closed).toBe(1000);

    const last = await tell(redirect?.text ?? '', line.wantsDocument);
    expect(parseXml(last.body).children.map(({ name }) => name)).toEqual(['Hangup']);
    expect(await post(newsUrl, line.completed, line.signed(newsUrl, line.ringing))).toMatchObject({ status: 403 });
    for (const _ of ['once', 'and again']) expect(await tell(newsUrl, line.completed)).toMatchObject({ status: 200 });
    const ended = { id, direction: 'outbound', state: 'ended', endReason: 'bot_ended' };
    expect(await served.record(id, { state: 'ended' })).toMatchObject(ended);
    expect(await (await served.ask('/calls')).json()).toMatchObject({ calls: [ended] });
  });

  test('a caller whose document cannot be written hears the recorded line', async () => {
    const answerDocument: Carrier['answerDocument'] = (steps) => {
      if (steps.some((step) => step.do === 'stream')) throw new Error('no stream');
      return carrier.answerDocument(steps);
    };
    await using served = await RunnerUnderTest.start({
      carrier: { ...carrier, answerDocument },
      credentials: { ...line.credentials, apiUrl: 'http://127.0.0.1:1' },
    });
    const { status, body } = await tell(served.runner.addresses.answerUrl, line.wantsDocument);
    expect([status, parseXml(body).children.map(({ name }) => name)]).toEqual([200, ['Play', 'Hangup']]);
  });
}
