import type { PhoneCall } from '../network/call.js';
import { withoutQuery } from '../network/webhook-target.js';
import type { StreamVerb } from './call-document.js';
import type { CallServices } from './call-services.js';
import { MediaStream, StreamRefused } from './media-stream.js';
import { quirksOf } from './quirks.js';

const CONNECT_ATTEMPTS = 3;
const CONNECT_PAUSE_MS = 200;
/** Longer than any call. */
const FOR_EVER_MS = 86_400_000;

/** Connects the bot's media stream. Returns when the next verb may start. */
export async function performStream(verb: StreamVerb, call: PhoneCall, services: CallServices): Promise<void> {
  if (call.stream)
    return call.progress({ hop: 'stream', ok: false, text: 'a call has one stream at a time, going on' });
  const streaming = stream(verb, call, services);
  if (verb.keepCallAlive) return streaming;
  // The next verb starts at once, and the end of the document ends the call under the stream.
  streaming.catch((error: unknown) => services.logger.error('stream failed', { callId: call.id, error }));
}

/** From its connection to its end: a carrier may connect a broken one again, or leave it at that. */
async function stream(verb: StreamVerb, call: PhoneCall, services: CallServices): Promise<void> {
  const { brokenStreams } = services.faults;
  let isBroken = await streamOnce(verb, call, services);
  while (isBroken && brokenStreams && !call.isOver && !call.interruption.aborted) {
    const { reconnectAfterMs } = brokenStreams;
    if (reconnectAfterMs === undefined) call.progress({ hop: 'stream', ok: false, text: 'nothing follows the stream' });
    await call.wait(reconnectAfterMs ?? FOR_EVER_MS, call.interruption);
    if (reconnectAfterMs === undefined || call.isOver || call.interruption.aborted) return;
    isBroken = await streamOnce(verb, call, services);
  }
}

/** @returns whether it could not be connected, or broke */
async function streamOnce(verb: StreamVerb, call: PhoneCall, services: CallServices): Promise<boolean> {
  const { words } = services.face;
  const status = (event: Parameters<typeof words.stream>[1], streamId: string): void => {
    const parameters = verb.statusCallback && words.stream(call, event, verb, streamId);
    if (verb.statusCallback && parameters)
      void services.inform(call, `Stream ${event}`, verb.statusCallback, parameters);
  };
  const stream = await connect(verb, call, services);
  if (!stream) {
    status('dropped', '');
    return true;
  }
  call.stream = stream;
  status('started', stream.id);
  let hasTimedOut = false;
  void call.wait(verb.timeoutMs).then(() => {
    hasTimedOut = true;
    stream.close();
  });
  const { breakStreamsAfterMs } = services.faults;
  if (breakStreamsAfterMs !== undefined) void call.wait(breakStreamsAfterMs).then(() => stream.breakOff());
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
  return !isClean;
}

/** As people may read it: neither the query nor what may be a secret at the end of the path. */
const shownAddress = (url: string) => withoutQuery(url).replace(/\/[\w.-]{24,}$/, '/…');

async function connect(verb: StreamVerb, call: PhoneCall, services: CallServices): Promise<MediaStream | undefined> {
  const progress = call.progress.bind(call);
  const { hasTwoCallNames = false, otherCodec, losesMarks = false } = services.faults;
  const options = {
    verb,
    face: services.face.stream,
    words: () => services.face.stream.open({ call, verb, quirks: quirksOf(call.serial), hasTwoCallNames, otherCodec }),
    playback: call.playback,
    progress,
    losesMarks,
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
