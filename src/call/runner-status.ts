/** What the runner is and does, for its page and for programs; plain JSON. */
export interface RunnerStatus {
  readonly version: 1;
  readonly state: 'ready' | 'no_bot' | 'unreachable' | 'stopping';
  /** Its name, without the folder. */
  readonly botFile: string;
  readonly transport: 'carrier' | 'rooms';
  /** Whether stand-ins serve its calls in place of the services that need keys. */
  readonly standIns: boolean;
  /** The bot's own, E.164; null when it is not known. */
  readonly number: string | null;
  readonly publicUrl: string;
  /** Bot processes that could take a call now. */
  readonly readyBots: number;
  readonly liveCalls: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** There is a phone network on this machine, which the page has a phone for. */
  readonly hasPhone: boolean;
}
