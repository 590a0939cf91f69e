import { describeChanges } from './changed-requests.js';
import { VECTORS } from './signature-vectors.js';

// Each address and each form once, and every bit of every byte, of which the quick tier changes one in all their combinations.
const EACH_ONCE = VECTORS.filter(({ title }) => !/, (?:a call|letters beyond ASCII)$/.test(title));

describeChanges(EACH_ONCE, { bitsOf: () => [0, 1, 2, 3, 4, 5, 6, 7], asksVendor: false });
