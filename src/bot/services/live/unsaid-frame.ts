import { DataFrame, type TTSSpeakFrame, type Utterance } from '../../pipeline/frames/index.js';

/** A text that the session of a call was to say, and has not said to its end: there is none any more. For the cascade behind it. */
export class UnsaidFrame extends DataFrame {
  /** @param utterance what there is of it, where it has begun */
  constructor(
    readonly frame: TTSSpeakFrame,
    readonly utterance?: Utterance | undefined,
  ) {
    super();
  }
}
