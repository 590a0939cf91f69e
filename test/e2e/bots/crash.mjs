/** Fails as soon as the caller's audio comes. */
export function bot({ websocket }) {
  return new Promise((_, reject) => {
    websocket.on('message', () => reject(new Error('out of order')));
  });
}
