import type { RequestHandler, Response } from 'express';

/**
 * What goes wrong at the carrier. The REST API fails a share of the requests that change a call: 0 to 1, of which at most one applies
 * to a request. Default 0 each.
 */
export interface SandboxFaults {
  /** Carried out, but answered with 500 or with a closed connection, in turns. */
  readonly failAfterAccepting?: number;
  /** Refused with 503. */
  readonly failBeforeAccepting?: number;
  /** Refused with 429 and `Retry-After: 1`. */
  readonly tooManyRequests?: number;
  /** What becomes of a media stream whose connection breaks. Default: the call goes on to the next element of its document. */
  readonly brokenStreams?: BrokenStreams;
  /** Every media stream breaks this long after it was connected, in milliseconds of call time, 0 or more. Default: none does. */
  readonly breakStreamsAfterMs?: number;
  /** The carrier acknowledges no mark. Default false. */
  readonly losesMarks?: boolean;
  /** The streams of Telnyx have another name for their call than its webhooks and the REST API (carrier reference 7.2). Default false. */
  readonly hasTwoCallNames?: boolean;
  /** What the streams of Telnyx say they carry in place of what was asked for, such as `G722` (carrier reference 7.2). */
  readonly otherCodec?: string;
}

/** The carrier stays at the `<Stream>` until another document is given to the call. */
export interface BrokenStreams {
  /**
   * It connects another stream at the same address this long after one has broken or was refused, in milliseconds of call time, 0 or
   * more (carrier reference 4.4). Undefined: it does nothing.
   */
  readonly reconnectAfterMs?: number;
}

/**
 * Fails a share of the requests that change something, the same ones in every run. An answer that is to be lost is given to
 * `response.locals.loseAnswer` instead.
 * @param refuse answers in the carrier's form
 */
export function faultInjection(
  faults: SandboxFaults,
  refuse: (response: Response, status: number, error: string) => void,
): RequestHandler {
  const { failAfterAccepting = 0, failBeforeAccepting = 0, tooManyRequests = 0 } = faults;
  const nextShare = shares();
  let lostAnswers = 0;
  const loseAnswer = (response: Response): void => {
    lostAnswers += 1;
    if (lostAnswers % 2 === 0) response.destroy();
    else refuse(response, 500, 'internal error');
  };
  return (request, response, next) => {
    if (request.method === 'GET') return next();
    const share = nextShare();
    if (share < tooManyRequests) {
      response.set('retry-after', '1');
      return refuse(response, 429, 'too many requests');
    }
    if (share < tooManyRequests + failBeforeAccepting) return refuse(response, 503, 'service unavailable');
    if (share < tooManyRequests + failBeforeAccepting + failAfterAccepting) response.locals.loseAnswer = loseAnswer;
    next();
  };
}

/** Numbers of 0 to 1 that look random and are the same every time: the mulberry32 generator, started from 1. */
function shares(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
