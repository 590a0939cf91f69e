/** Of the audio of a telephone, in hertz. */
export const PHONE_RATE = 8_000;
