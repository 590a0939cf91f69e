export interface RestoreOptions {
  force?: boolean;
  json?: boolean;
}
