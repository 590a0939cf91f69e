import { Component, type ComponentChildren } from 'preact';

/** A part of the page that may fail without the others: what is kept of a call may be of any kind. */
export class Guarded extends Component<{ children: ComponentChildren }, { error?: Error }> {
  override state: { error?: Error } = {};

  static override getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? <p class="problem">This part cannot be shown: {error.message}</p> : this.props.children;
  }
}
