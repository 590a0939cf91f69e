/** Pages of one browser at once, unless it is set. */
export const DEFAULT_PAGES = 20;

/** A page of a browser. */
export interface OpenPage {
  /** Resolves when the page is not there any more: the user has closed it, it has crashed, or its browser has ended. */
  readonly gone: Promise<void>;
  /** Closes the page. Safe to call twice. */
  close(): void;
}

/** Where pages are opened: a browser of this process, or the one that the runner keeps for all its bots. */
export interface Pages {
  /**
   * Opens a page without waiting for what it shows.
   * @param url on this machine
   * @throws VoicebotError VB_BROWSER_FAILED when there is no browser, it cannot start, or it has as many pages as it may have
   */
  open(url: string): Promise<OpenPage>;
}
