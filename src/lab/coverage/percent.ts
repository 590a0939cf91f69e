/** Whole per cent, rounded down; 100 of nothing. */
export const percentOf = (touched: number, of: number): number => (of === 0 ? 100 : Math.floor((100 * touched) / of));
