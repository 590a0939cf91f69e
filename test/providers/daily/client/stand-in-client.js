// Stands in for the provider's client in a page, to have it do what a real one does rarely: an ES module with a call object. Its room is empty
// but for two voices, sine tones of 440 and 1000 Hz. What goes wrong is said by the token: `refuse:exp-token`, `hang-at-join`, ...
const TONES = { alice: 440, bob: 1000 };

class Call {
  #handlers = new Map();
  #context = new AudioContext();
  #people = {};
  #options;

  constructor(options) {
    this.#options = options;
    window.call = this;
  }

  on(name, handler) {
    this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler]);
    return this;
  }

  emit(name, fields = {}) {
    for (const handler of this.#handlers.get(name) ?? []) handler({ action: name, callClientId: 'x', ...fields });
  }

  async join({ url, token }) {
    const [what, type] = token.split(':');
    if (what === 'refuse') {
      const event = { errorMsg: `refused because of ${type}`, error: { type, msg: 'refused' } };
      this.emit('error', event);
      throw event;
    }
    if (what === 'text') throw 'only text was thrown';
    if (what === 'never') await new Promise(() => {});
    this.url = url;
    this.#people.local = this.#person('me', true);
    if (what === 'echo') this.come('echo', this.#options.audioSource);
    else for (const name of Object.keys(TONES)) this.come(name, this.#tone(TONES[name]));
    if (what === 'hang')
      setTimeout(() => {
        for (;;);
      }, 500);
    this.emit('joined-meeting', { participants: this.#people });
    return this.#people;
  }

  #tone(frequency) {
    const oscillator = new OscillatorNode(this.#context, { frequency });
    const out = new MediaStreamAudioDestinationNode(this.#context);
    oscillator.connect(new GainNode(this.#context, { gain: 0.25 })).connect(out);
    oscillator.start();
    return out.stream.getAudioTracks()[0];
  }

  come(name, track) {
    const person = this.#person(name, false, track);
    this.#people[person.session_id] = person;
    this.emit('participant-joined', { participant: person });
    this.emit('track-started', { participant: person, track, type: 'audio' });
  }

  go(name) {
    const person = this.#people[name];
    delete this.#people[name];
    this.emit('track-stopped', { participant: null, track: person.tracks.audio.persistentTrack, type: 'audio' });
    this.emit('participant-left', { participant: person });
  }

  #person(name, local, track) {
    const audio = track ? { state: 'playable', persistentTrack: track, track } : { state: 'off' };
    return { session_id: name, user_name: name, owner: local, local, participantType: 'unknown', tracks: { audio } };
  }

  participants() {
    return this.#people;
  }

  updateParticipants(updates) {
    for (const [name, { eject }] of Object.entries(updates)) if (eject) this.go(name);
    return this;
  }

  async startDialOut(options) {
    if (options.phoneNumber === '+15555550199')
      throw new Error('unable to start dialout (is dialout enabled? are you a room owner?)');
    setTimeout(
      () => this.emit('dialout-connected', { sessionId: 'leg-1', destination: options.phoneNumber, provider: 'x' }),
      10,
    );
    return { session: { sessionId: 'leg-1' } };
  }

  async stopDialOut() {
    this.emit('dialout-stopped', { sessionId: 'leg-1' });
  }

  async sendDTMF({ sessionId, tones }) {
    for (const tone of tones) this.emit('dtmf-event', { sessionId, tone, volume: 1, method: 'x' });
  }

  async sipCallTransfer() {
    throw { errorMsg: 'FORBIDDEN: not a PSTN leg' };
  }

  async sipRefer() {
    return {};
  }

  async leave() {
    this.emit('left-meeting');
  }

  async destroy() {
    await this.#context.close();
  }
}

export default { createCallObject: (options) => new Call(options), version: () => '0' };
