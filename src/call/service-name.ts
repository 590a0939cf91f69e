/** What a service does for a call. `live`: it hears, answers and speaks. */
export type ServiceKind = 'speech_to_text' | 'language_model' | 'text_to_speech' | 'live';

export const SERVICE_KINDS: readonly ServiceKind[] = ['speech_to_text', 'language_model', 'text_to_speech', 'live'];

/** Whose a service is, and which of the vendor's models. */
export interface ServiceModel {
  /** Name of the vendor. */
  readonly provider: string;
  readonly model?: string | undefined;
}

/** One service that a bot may ask. */
export interface ServiceName extends ServiceModel {
  readonly does: ServiceKind;
  /** Where it is asked, where a list has several of this vendor and model: the host, or which of the list it is. */
  readonly which?: string | undefined;
}

/** A service as it stands in a process. Plain JSON. */
export interface ServiceState extends ServiceName {
  readonly isWell: boolean;
  /** When it has failed, in milliseconds since the Unix epoch. */
  readonly since?: number | undefined;
  /** What it has failed with, in the vendor's words. */
  readonly why?: string | undefined;
  /** The code of that failure. */
  readonly code?: string | undefined;
  /** The vendor wants no request before, in milliseconds since the Unix epoch. */
  readonly notBefore?: number | undefined;
}

/** A service for people: `Deepgram nova-3`. */
export const serviceWords = ({ provider, model }: ServiceModel): string => [provider, model].filter(Boolean).join(' ');
