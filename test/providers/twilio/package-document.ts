import twilio from 'twilio';
import type { AnswerDial, AnswerStep } from '../../../src/providers/carrier.js';

const { VoiceResponse } = twilio.twiml;

export const DIAL: AnswerDial = {
  to: '+12025550101',
  callerId: '+12025550100',
  ringTimeoutS: 30,
  timeLimitS: 900,
  outcomeUrl: 'https://a.example.dev/transfer-ended?call=1&pass=2',
  statusUrl: 'https://a.example.dev/transfer-status?call=1&pass=2',
};
export const HOLD = { quietS: 1, text: 'One & only <moment>, please.', waitS: 20 };

/** Steps that are the same in TwiML and in TeXML. */
export const COMMON_STEPS: ReadonlyArray<readonly [title: string, steps: readonly AnswerStep[]]> = [
  ['nothing', []],
  ['a dialled number', [{ do: 'dial', dial: DIAL }]],
  ['a recorded line and the end', [{ do: 'play', url: 'https://a.dev/x.wav?a=1&b=2' }, { do: 'hangup' }]],
  ['words', [{ do: 'speak', text: 'a < b & "c" é 📞' }]],
  ['a busy line', [{ do: 'hangup', reason: 'busy' }]],
  ['a call turned away', [{ do: 'hangup', reason: 'rejected' }]],
];

/** What Twilio's package makes of the steps. */
export function packageXml(steps: readonly AnswerStep[]): string {
  const response = new VoiceResponse();
  for (const [at, step] of steps.entries()) {
    switch (step.do) {
      case 'stream': {
        const { url, parameters, continueUrl, hold, statusUrl } = step.stream;
        const status =
          statusUrl === undefined ? {} : ({ statusCallback: statusUrl, statusCallbackMethod: 'POST' } as const);
        const noun = response.connect().stream({ url, ...status });
        for (const [name, value] of Object.entries(parameters)) noun.parameter({ name, value });
        if (hold) {
          response.pause({ length: hold.quietS });
          if (hold.text !== undefined) response.say(hold.text);
          response.pause({ length: hold.waitS });
        }
        response.redirect({ method: 'POST' }, continueUrl);
        break;
      }
      case 'dial': {
        const { to, callerId, ringTimeoutS: timeout, timeLimitS: timeLimit, outcomeUrl: action, statusUrl } = step.dial;
        const number = response.dial({ callerId, timeout, timeLimit, action, method: 'POST' });
        number.number(
          { statusCallback: statusUrl, statusCallbackEvent: ['answered', 'completed'], statusCallbackMethod: 'POST' },
          to,
        );
        break;
      }
      case 'play':
        response.play(step.url);
        break;
      case 'speak':
        response.say(step.text);
        break;
      case 'hangup':
        if (step.reason && at === 0) response.reject({ reason: step.reason });
        else response.hangup();
    }
  }
  return response.toString();
}
