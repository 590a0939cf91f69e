import type { PhoneCall } from '../network/call.js';
import { HANGUP_CAUSES } from '../network/hangup-causes.js';
import { beep, wavToMulaw } from '../network/prompt-audio.js';
import { withoutQuery } from '../network/webhook-target.js';
import type { StreamVerb, Verb } from './call-document.js';
import type { CallServices } from './call-services.js';
import { performDial } from './dial.js';
import type { DocumentRequest } from './document-fetch.js';
import { MediaStream, StreamRefused } from './media-stream.js';
import { quirksOf } from './quirks.js';

const CONNECT_ATTEMPTS = 3;
const CONNECT_PAUSE_MS = 200;
const SAMPLE_RATE = 8_000;

/**
 * Performs one verb. A verb that fails is reported, and the call goes on.
 * @returns when the next verb may start, or with the document that takes over
 */
export async function performVerb(
  verb: Verb,
  call: PhoneCall,
  services: CallServices,
): Promise<DocumentRequest | undefined> {
  switch (verb.verb) {
    case 'redirect':
      return { hop: 'redirect', target: verb };
    case 'dial':
      return performDial(verb, call, services);
    default:
      await performStep(verb, call, services);
      return undefined;
  }
}

type SimpleVerb = Exclude<Verb, { verb: 'redirect' | 'dial' }>;

async function performStep(verb: SimpleVerb, call: PhoneCall, services: CallServices): Promise<void> {
  switch (verb.verb) {
    case 'stream':
      return performStream(verb, call, services);
    case 'speak':
      return speak(verb.text, verb.language, call, services);
    case 'play':
      return playFile(verb.url, call, services);
    case 'wait':
      call.progress({ hop: 'wait', ok: true, text: `waiting ${verb.ms / 1_000} s` });
      return call.wait(verb.ms, call.interruption);
    case 'hangup':
      return hangUp(verb, call);
    case 'unsupported':
      return call.progress({
        hop: 'document',
        ok: false,
        text: `the sandbox does not perform <${verb.name}>, going on`,
      });
  }
}

function hangUp({ reason, afterMs }: Extract<Verb, { verb: 'hangup' }>, call: PhoneCall): void {
  const cause = reason ? HANGUP_CAUSES[reason] : HANGUP_CAUSES.normal;
  const finish = (): void => {
    call.progress({ hop: 'hangup', ok: true, text: `hanging up${reason ? ` (${reason})` : ''}` });
    call.finish(cause, 'Answer XML');
  };
  if (afterMs === 0) finish();
  else void call.wait(afterMs).then(finish);
}

async function performStream(verb: StreamVerb, call: PhoneCall, services: CallServices): Promise<void> {
  if (call.stream)
    return call.progress({ hop: 'stream', ok: false, text: 'a call has one stream at a time, going on' });
  const streaming = stream(verb, call, services);
  if (verb.keepCallAlive) return streaming;
  // The next verb starts at once, and the end of the document ends the call under the stream.
  streaming.catch((error: unknown) => services.logger.error('stream failed', { callId: call.id, error }));
}

async function stream(verb: StreamVerb, call: PhoneCall, services: CallServices): Promise<void> {
  const { words } = services.face;
  const status = (event: Parameters<typeof words.stream>[1], streamId: string): void => {
    const parameters = verb.statusCallback && words.stream(call, event, verb, streamId);
    if (verb.statusCallback && parameters)
      void services.inform(call, `Stream ${event}`, verb.statusCallback, parameters);
  };
  const stream = await connect(verb, call, services);
  if (!stream) return status('dropped', '');
  call.stream = stream;
  status('started', stream.id);
  let hasTimedOut = false;
  void call.wait(verb.timeoutMs).then(() => {
    hasTimedOut = true;
    stream.close();
  });
  if (verb.endsOnTransfer) {
    if (call.interruption.aborted) stream.close();
    call.interruption.addEventListener('abort', () => stream.close(), { once: true });
  }
  const { code, isTooSlow } = await stream.closed;
  call.stream = undefined;
  call.playback.clear();
  const isClean = call.isOver || hasTimedOut || code === 1000 || code === 1001 || code === 1005;
  status(isClean ? 'stopped' : 'dropped', stream.id);
  const why = isTooSlow ? ', the bot was too slow to read its audio' : code === 1006 ? ', the bot vanished' : '';
  call.progress({
    hop: 'stream',
    ok: isClean,
    text: `stream ended with code ${code}${why}`,
    url: shownAddress(verb.url),
    status: code,
  });
}

/** As people may read it: neither the query nor what may be a secret at the end of the path. */
const shownAddress = (url: string) => withoutQuery(url).replace(/\/[\w.-]{24,}$/, '/…');

async function connect(verb: StreamVerb, call: PhoneCall, services: CallServices): Promise<MediaStream | undefined> {
  const progress = call.progress.bind(call);
  const options = {
    verb,
    face: services.face.stream,
    words: () => services.face.stream.open({ call, verb, quirks: quirksOf(call.serial) }),
    playback: call.playback,
    progress,
  };
  for (let attempt = 1; attempt <= CONNECT_ATTEMPTS && !call.isOver; attempt += 1) {
    if (attempt > 1) await call.wait(CONNECT_PAUSE_MS);
    const url = shownAddress(verb.url);
    progress({ hop: 'stream', ok: true, text: `stream connecting to ${url}`, url });
    const startedAt = performance.now();
    try {
      const stream = await MediaStream.connect(options, call.signal);
      const ms = Math.round(performance.now() - startedAt);
      progress({ hop: 'stream', ok: true, text: `stream started in ${ms} ms`, url, ms });
      return stream;
    } catch (error) {
      if (!(error instanceof StreamRefused)) throw error;
      const text = `stream attempt ${attempt} of ${CONNECT_ATTEMPTS}: ${error.message}`;
      progress({ hop: 'stream', ok: false, text, url, ...(error.status !== undefined && { status: error.status }) });
    }
  }
  return undefined;
}

async function speak(text: string, language: string, call: PhoneCall, { speech }: CallServices): Promise<void> {
  call.progress({ hop: 'speak', ok: true, text: `speaking: ${text}` });
  await call.play((await speech.speak(text, language, call.interruption)) ?? beep(440, 400));
}

async function playFile(url: string, call: PhoneCall, { webhooks }: CallServices): Promise<void> {
  try {
    const { status, body, ms } = await webhooks.fetchFile(url, call.interruption);
    if (status !== 200) {
      return call.progress({ hop: 'play', ok: false, text: `cannot play ${url}: status ${status}`, url, status, ms });
    }
    const audio = await wavToMulaw(body);
    call.progress({
      hop: 'play',
      ok: true,
      text: `playing ${url} (${(audio.length / SAMPLE_RATE).toFixed(1)} s)`,
      url,
      status,
      ms,
    });
    await call.play(audio);
  } catch (error) {
    if (call.interruption.aborted) return;
    call.progress({ hop: 'play', ok: false, text: `cannot play ${url}: ${(error as Error).message}`, url });
  }
}
