export { InputAudioFrame, OutputAudioFrame } from './audio-frames.js';
export { EndFrame } from './control-frames.js';
export { DtmfFrame, OutputDtmfFrame } from './dtmf-frames.js';
export { ControlFrame, DataFrame, Frame, type FrameDirection, SystemFrame } from './frame.js';
export { SpeechLanguageFrame } from './language-frame.js';
export {
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  LLMMessagesAppendFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMRunFrame,
  LLMTextFrame,
} from './llm-frames.js';
export type { LLMMessage, ToolCall, ToolResult } from './llm-messages.js';
export {
  HoldSpeechFrame,
  ResumeSpeechFrame,
  type SpeakOptions,
  SpeechHeardFrame,
  type TimedWord,
  TTSSpeakFrame,
  TTSStartedFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  type Utterance,
} from './speech-frames.js';
export {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CallerJoinedFrame,
  CallerMutedFrame,
  CallerPassedOverFrame,
  CancelFrame,
  type CancelReason,
  ErrorFrame,
  InterruptionFrame,
  StartFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
  UserWordsFrame,
} from './system-frames.js';
export {
  EndOfTurnFrame,
  InterimTranscriptionFrame,
  type LateWords,
  TranscriptionFrame,
} from './transcription-frames.js';
export { type ModelResponse, Turn, type TurnTimes } from './turn.js';
