export { type CallEnd, FakePhone, type FakePhoneOptions } from './fake-phone.js';
