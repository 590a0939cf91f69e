import { describeChanges } from './changed-requests.js';

// Every bit of every byte, of which the quick tier changes one.
describeChanges(() => [0, 1, 2, 3, 4, 5, 6, 7]);
