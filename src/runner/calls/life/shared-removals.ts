import type { Logger } from '../../../base/logger.js';
import type { CallId } from '../../../call/call-id.js';

/** The calls whose recordings are removed, as runners tell each other that act as one: parts of a call may be on the disks of several. */
export interface SharedRemovals {
  /** The others are to remove what they have of these. They are told again until they can know. */
  tell(ids: readonly CallId[]): void;
  /** Resolves when what the others have told so far was passed on, or they cannot be asked. Never rejects. */
  readonly heard: Promise<void>;
  close(): Promise<void>;
}

export interface SharedRemovalsOptions {
  /** For how many days this runner keeps the folders of calls; 0: until they are removed by hand. */
  readonly keptDays: number;
  /** Told of calls of which this runner may have something left. */
  readonly removed: (ids: readonly CallId[]) => void;
  readonly logger: Pick<Logger, 'error'>;
}
