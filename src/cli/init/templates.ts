export interface Template {
  /** One line, for a list. */
  readonly description: string;
  /** Calls others, instead of being called. */
  readonly dialsOut: boolean;
}

/** The directories of `templates/` that a project can be made from, the ones for beginners first. */
export const TEMPLATES = {
  demo: {
    description: 'says a menu and the time, and does what the keys of callers say; needs no API keys',
    dialsOut: false,
  },
  echo: {
    description: 'repeats what callers say: the shortest bot',
    dialsOut: false,
  },
  hello: {
    description: 'says a text of your own: the shortest bot that speaks; needs no API keys',
    dialsOut: false,
  },
  answer: {
    description: 'talks with callers, looks things up and transfers callers to a person',
    dialsOut: false,
  },
  dial: {
    description: 'calls people, tells them something and notices voicemail',
    dialsOut: true,
  },
  transfer: {
    description: 'a receptionist that transfers callers to a colleague, in the words of the model',
    dialsOut: false,
  },
} as const satisfies Record<string, Template>;

/** Names that templates had before each served both transports. */
export const OLD_TEMPLATES: Readonly<Record<string, { template: TemplateName; transport: 'carrier' | 'rooms' }>> = {
  'carrier-dialin': { template: 'answer', transport: 'carrier' },
  'carrier-dialout': { template: 'dial', transport: 'carrier' },
  'rooms-dialin': { template: 'answer', transport: 'rooms' },
  'rooms-dialout': { template: 'dial', transport: 'rooms' },
  'cold-transfer': { template: 'transfer', transport: 'rooms' },
};

export type TemplateName = keyof typeof TEMPLATES;

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[];

/** Runs on a fresh machine, with no account and no key. */
export const DEFAULT_TEMPLATE: TemplateName = 'demo';

/** The list of templates for people, a line each; `label` is what stands before a name. */
export function templateLines(label = (_index: number) => '  '): string[] {
  const width = Math.max(...TEMPLATE_NAMES.map((name) => name.length));
  return TEMPLATE_NAMES.map((name, index) => `${label(index)}${name.padEnd(width)}  ${TEMPLATES[name].description}`);
}
