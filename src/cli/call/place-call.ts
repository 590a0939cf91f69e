import { once } from 'node:events';
import { withDeadline } from '../../base/async/deadline.js';
import { VoicebotError } from '../../base/errors.js';
import type { PhoneCallEnd, PhoneProgress } from '../../call/phone-messages.js';
import { severalRunners } from '../../runners/runner-address.js';
import { RunnerClient } from '../../runners/runner-client.js';
import { PhoneClient } from '../../sandbox/network/phone-client.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import { CallAudio, writeRecording } from './call-audio.js';
import { CallReport } from './call-report.js';
import type { CallRequest } from './call-request.js';
import { endedCallAt, failureOf, saysClosedInOrder } from './call-verdict.js';
import { Loudspeaker, NO_PLAYER } from './loudspeaker.js';
import { openPhoneLine, type PhoneLine } from './phone-line.js';

/** Ringing, connecting and hanging up come on top of the call's own limit. */
const EXTRA_MS = 120_000;
const HANG_UP_DEADLINE_MS = 2_000;

/**
 * Places one call and tells what happens as it happens.
 * @throws VoicebotError VB_CALL_FAILED when it was not answered or did not end well, VB_RUNNER_NOT_FOUND; StoppedBySignal
 */
export async function placeCall(request: CallRequest, context: CliContext, output: Output): Promise<void> {
  const line = await openPhoneLine(
    request,
    context.environment,
    context.directory,
    severalRunners(output, 'on the sandbox'),
  );
  try {
    const audio = new CallAudio(request);
    const loudspeaker = request.isPlayed ? openLoudspeaker(context, output) : undefined;
    const phone = await PhoneClient.connect({
      url: line.url,
      token: line.token,
      exchange: (heard) => {
        const said = audio.exchange(heard);
        loudspeaker?.play(heard, said);
        return said;
      },
    });
    await talk(phone, audio, line, request, new CallReport(output, audio)).finally(() => {
      phone.close();
      loudspeaker?.close();
    });
  } finally {
    await line.close();
  }
}

function openLoudspeaker({ environment }: CliContext, output: Output): Loudspeaker | undefined {
  const loudspeaker = Loudspeaker.open(environment, (sentence) => output.warn(sentence));
  if (!loudspeaker) output.warn(NO_PLAYER);
  return loudspeaker;
}

async function talk(
  phone: PhoneClient,
  audio: CallAudio,
  line: PhoneLine,
  request: CallRequest,
  report: CallReport,
): Promise<void> {
  let isStreamInOrder = true; // as far as there is one
  phone.on('answered', () => audio.answered());
  const followStream = (line: PhoneProgress) => {
    if (line.hop === 'stream') isStreamInOrder = saysClosedInOrder(line);
  };
  phone.on('progress', followStream);
  phone.once('ended', () => phone.off('progress', followStream)); // the carrier closes what is left of it
  report.follow(phone);
  const heard = new AbortController();
  phone.on('ringing', (callId) => {
    phone.once('answered', () => void followWords(line, callId, report, heard.signal));
  });
  audio.on('key', (digit) => phone.press(digit));
  audio.on('said', (text) => phone.spoke(text));
  audio.on('done', () => phone.hangUp());
  const to = request.to ?? line.number;
  report.dialling(request.from, to, line.server);
  await typeForStandIns(phone, audio, line, report);

  const ended = once(phone, 'ended').then(([end]) => end as PhoneCallEnd);
  const signals = watchSignals();
  try {
    phone.dial({ from: request.from, to });
    const first = await withDeadline(Promise.race([ended, signals.first]), request.limitMs + EXTRA_MS, tooLong);
    const stopped = typeof first === 'string' ? new StoppedBySignal(first) : undefined;
    if (stopped) {
      signals.close(); // the next Ctrl+C ends the process at once
      phone.hangUp();
    }
    const end = await withDeadline(ended, HANG_UP_DEADLINE_MS, () => stopped ?? tooLong());
    if (request.recordPath !== undefined) writeRecording(request.recordPath, audio.recording);
    const call =
      line.runnerUrl && end.callId ? await endedCallAt(line.runnerUrl, end.callId, line.runnerToken) : undefined;
    const failure = failureOf(end, audio.elapsedMs !== undefined, call, isStreamInOrder);
    await report.wordsTold();
    const outcome = { succeeded: failure === undefined, endReason: call?.endReason, recording: request.recordPath };
    report.ended(end, outcome, call);
    if (stopped ?? failure) throw stopped ?? failure;
  } finally {
    heard.abort();
    signals.close();
  }
}

/** What the bot says is told by its runner. Where that tells nothing, it is told that the bot speaks. */
async function followWords(line: PhoneLine, callId: string, report: CallReport, signal: AbortSignal): Promise<void> {
  if (line.runnerUrl === undefined) return;
  const runner = new RunnerClient(line.runnerUrl, line.runnerToken);
  await runner.follow(callId, (event) => report.see(event), signal).catch(() => {}); // the call goes on without its words
  report.wordsLost();
}

/** A bot with stand-ins has no ears: what has been said is typed to it as well. */
async function typeForStandIns(
  phone: PhoneClient,
  audio: CallAudio,
  line: PhoneLine,
  report: CallReport,
): Promise<void> {
  const runner = line.runnerUrl === undefined ? undefined : new RunnerClient(line.runnerUrl, line.runnerToken);
  if (!(await runner?.hasStandIns().catch(() => false))) return;
  let callId = '';
  phone.on('ringing', (id) => {
    callId = id;
  });
  audio.on('said', (text) => {
    runner?.type(callId, text).catch((error: Error) => report.notTyped(error));
  });
}

const tooLong = () => new VoicebotError('VB_CALL_FAILED', 'the sandbox did not end the call in time');
