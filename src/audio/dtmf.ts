export { DtmfDetector } from './dtmf-detector.js';
export { DTMF_DIGITS, type DtmfDigit, isDtmfDigit } from './dtmf-digit.js';
export { type DtmfToneOptions, generateDtmf } from './dtmf-generator.js';
