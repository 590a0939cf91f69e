export type { DeepgramSTTOptions } from './deepgram-options.js';
export { DeepgramSTT } from './deepgram-stt.js';
export type { Ear, EarListener, EarSource, SwitchedEars } from './ear.js';
export type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';
export { SttService, type SttServiceOptions } from './stt-service.js';
