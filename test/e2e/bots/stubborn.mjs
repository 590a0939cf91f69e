/** Listens for ever and never ends a call. */
export function bot({ websocket }) {
  websocket.on('message', () => {});
  return new Promise(() => {});
}
