import type { DtmfDigit } from './dtmf-digit.js';

/** One tone of each group sounds at a time: a row's and a column's, in hertz (ITU-T Q.23). */
export const ROW_FREQUENCIES = [697, 770, 852, 941] as const;
export const COLUMN_FREQUENCIES = [1209, 1336, 1477, 1633] as const;

/** The keys row by row, from the lowest row frequency, each row from the lowest column frequency. */
export const KEYPAD = [...'123A456B789C*0#D'] as readonly DtmfDigit[];
