export { DtmfDetector } from './dtmf-detector.js';
export { DTMF_DIGITS, type DtmfDigit, dtmfDigitsOf, isDtmfDigit } from './dtmf-digit.js';
export { type DtmfToneOptions, generateDtmf, generateKeys } from './dtmf-generator.js';
