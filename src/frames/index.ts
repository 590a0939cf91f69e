export { InputAudioFrame, OutputAudioFrame } from './audio-frames.js';
export { EndFrame } from './control-frames.js';
export { DtmfFrame } from './dtmf-frame.js';
export { ControlFrame, DataFrame, Frame, type FrameDirection, SystemFrame } from './frame.js';
export { OutputDtmfFrame } from './output-dtmf-frame.js';
export {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CancelFrame,
  type CancelReason,
  ErrorFrame,
  InterruptionFrame,
  StartFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from './system-frames.js';
