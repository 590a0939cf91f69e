/** Enough of an identifier to tell calls apart, and for `voicebot calls` to find this one. */
export const callLabel = (id: string) => `call ${id.slice(0, id.startsWith('out_') ? 12 : 8)}`;
