export { type CallEnd, FakePhone, type FakePhoneOptions } from './fake-phone.js';
export type { DecideTransfer } from './transfer-stage.js';
