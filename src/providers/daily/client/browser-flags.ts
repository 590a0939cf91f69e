import { statfsSync } from 'node:fs';

/** Below this much shared memory in /dev/shm a browser keeps it in files, in bytes. A container has 64 MiB unless told otherwise. */
const LEAST_SHARED_MEMORY = 512 * 2 ** 20;

/** A browser that only shows our pages: driven over a pipe, with sound, at full speed in the background, talking to no server by itself. */
const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  // Sound starts without a user's click, and hidden pages run as fast as a visible one.
  '--autoplay-policy=no-user-gesture-required',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // What a browser does for people.
  '--deny-permission-prompts',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-component-extensions-with-background-pages',
  '--disable-gpu',
  '--disable-prompt-on-repost',
  '--disable-search-engine-choice-screen',
  '--noerrdialogs',
  '--password-store=basic',
  '--use-mock-keychain',
  // What it sends to its maker.
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--disable-domain-reliability',
  '--disable-field-trial-config',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-pings',
  '--no-service-autorun',
];

const DISABLED_FEATURES = [
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'OptimizationGuideModelDownloading',
  'OptimizationHints',
  'Translate',
  // The processes of hidden pages would get less of the processor than others, and calls would stutter.
  'PMProcessPriorityPolicy',
  // Each call has a process of its own, which can crash by itself.
  'ProcessPerSiteUpToMainFrameThreshold',
  // Names of the local network in place of addresses: a room on this machine could not look them up.
  'WebRtcHideLocalIpsWithMdns',
];

/**
 * What a browser is started with.
 * @param profile absolute path of its folder
 * @param isSandboxed whether its pages run in a sandbox of the system, which root cannot have
 */
export function browserFlags(profile: string, isSandboxed: boolean): string[] {
  return [
    ...FLAGS,
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    `--user-data-dir=${profile}`,
    ...(isSandboxed ? [] : ['--no-sandbox']),
    ...(hasSharedMemory() ? [] : ['--disable-dev-shm-usage']),
    'about:blank', // the first page comes faster where there is one already
  ];
}

function hasSharedMemory(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= LEAST_SHARED_MEMORY;
  } catch {
    return false;
  }
}
