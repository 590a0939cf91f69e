/** How audio of a rate, in hertz, travels to and from a vendor: 8000 Hz as mu-law, as it comes from carriers and goes to them. */
export const telephoneFormat = (sampleRate: number) =>
  ({ encoding: sampleRate === 8_000 ? 'PCMU' : 'L16', sampleRate }) as const;
