/** Of the phone's buttons, whose names stand beside them. */
const icon =
  (path: string, turn = 0) =>
  () => (
    <svg
      viewBox="0 0 24 24"
      width="24"
      height="24"
      aria-hidden="true"
      style={turn ? { transform: `rotate(${turn}deg)` } : {}}
    >
      <path d={path} fill="currentColor" />
    </svg>
  );

const RECEIVER =
  'M6.6 10.8a15.1 15.1 0 0 0 6.6 6.6l2.2-2.2c.3-.3.7-.4 1-.2 1.1.4 2.3.6 3.6.6.6 0 1 .4 1 1V20c0 .6-.4 1-1 1A17 17 0 0 1 3 4c0-.6.4-1 1-1h3.5c.6 0 1 .4 1 1 0 1.3.2 2.5.6 3.6.1.3 0 .7-.2 1z';

export const CallIcon = icon(RECEIVER);
export const HangUpIcon = icon(RECEIVER, 135);
export const MicrophoneIcon = icon(
  'M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3zm5-3a5 5 0 0 1-10 0H5a7 7 0 0 0 6 6.9V22h2v-3.1A7 7 0 0 0 19 12z',
);
export const MutedIcon = icon(
  'M15 11.2V6a3 3 0 0 0-5.9-.7zM4.3 3 3 4.3l6 6V12a3 3 0 0 0 4.2 2.7l1.5 1.6A5 5 0 0 1 7 12H5a7 7 0 0 0 6 6.9V22h2v-3.1a7 7 0 0 0 3.1-1.2L19.7 21l1.3-1.3zM17 12l-.1 1 1.6 1.6A7 7 0 0 0 19 12z',
);
export const KeypadIcon = icon(
  'M5 4h3v3H5zm5.500 0h3v3h-3zM16 4h3v3h-3zM5 9.500h3v3H5zm5.500 0h3v3h-3zm5.500 0h3v3h-3zM5 15h3v3H5zm5.500 0h3v3h-3zm5.500 0h3v3h-3zM10.500 20h3v3h-3z',
);
