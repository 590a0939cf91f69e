/** The room provider meant where none is named. */
export const DEFAULT_ROOM_PROVIDER = 'daily';

const names: string[] = [DEFAULT_ROOM_PROVIDER];

/** Every room provider there is: this project's own, then those of extensions as these are loaded. Read it when it is needed, not before. */
export const ROOM_PROVIDER_NAMES: readonly string[] = names;

/** An extension brings a room provider. @returns what takes it away again */
export function addRoomProviderName(name: string): () => void {
  names.push(name);
  return () => void names.splice(names.indexOf(name), 1);
}
