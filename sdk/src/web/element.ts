import type { Access } from './connection.ts';
import { addStyle } from './element-style.ts';
import { type ElementTexts, elementTexts } from './element-texts.ts';
import { createView, setLabel, type View } from './element-view.ts';
import { WebCallError } from './errors.ts';
import type { WebCallEvents } from './join-options.ts';
import type { PageTool } from './page-tools.ts';
import { joinCall, type WebCall } from './web-call.ts';

/** Failures after which the caller can type instead. */
const typingHelps: readonly string[] = [
  'microphone_denied',
  'no_microphone',
  'microphone_failed',
  'recognition_not_supported',
];

/** How a call ends that did not work, besides those named `…_failed`. */
const failedEnds: readonly string[] = ['internal_error', 'server_restart'];

type Phase = 'idle' | 'connecting' | 'open' | 'ended';

// Importing the module must not fail where there are no elements, such as on a server.
const Base = typeof HTMLElement === 'undefined' ? (class {} as typeof HTMLElement) : HTMLElement;

/**
 * `<voice-agent-call token-url="/call">`: a button that opens a conversation with an agent. The server of the page
 * responds to a POST at `token-url` with the `liveUrl` and `token` of a call that it has created.
 */
export class VoiceAgentCall extends Base {
  /** Tools of the agent that run in the page, by name. */
  tools: Readonly<Record<string, PageTool>> = {};
  #texts!: ElementTexts;
  #view!: View;
  #phase: Phase = 'idle';
  #call: WebCall | null = null;
  #failure: string | null = null;
  #canType = false;
  #isReconnecting = false;

  connectedCallback(): void {
    if (this.shadowRoot !== null) return;
    const language = this.getAttribute('language') ?? (document.documentElement.lang || navigator.language);
    this.#texts = elementTexts(language, this.getAttribute('labels'));
    if (!this.hasAttribute('layout')) this.setAttribute('layout', 'inline');
    const root = this.attachShadow({ mode: 'open' });
    addStyle(root);
    this.#view = createView(root, this.#texts, this.#isChat);
    this.#view.log.addNote(this.#isChat ? this.#texts.introChat : this.#texts.intro);
    this.#listen();
    this.#render();
  }

  disconnectedCallback(): void {
    this.#call?.end();
  }

  /** The call, while there is one. */
  get call(): WebCall | null {
    return this.#call;
  }

  get #isChat(): boolean {
    return this.getAttribute('mode') === 'chat';
  }

  get #isFloating(): boolean {
    return this.getAttribute('layout') === 'floating';
  }

  #listen(): void {
    const { launcher, close, start, typing, mute, end, form, input, panel } = this.#view;
    launcher.onclick = () => {
      this.toggleAttribute('open', true);
      this.#render();
      (this.#phase === 'open' ? input : start).focus();
    };
    const hide = () => {
      this.toggleAttribute('open', false);
      this.#render();
      launcher.focus();
    };
    close.onclick = hide;
    panel.onkeydown = ({ key, isComposing }) => {
      if (key === 'Escape' && !isComposing && this.#isFloating) hide();
    };
    start.onclick = () => this.#start(true);
    typing.onclick = () => this.#start(false);
    mute.onclick = () => {
      if (this.#call?.isMuted) this.#call.unmute();
      else this.#call?.mute();
      this.#render();
    };
    end.onclick = () => this.#call?.end();
    form.onsubmit = (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text === '' || this.#call === null) return;
      this.#call.send(text);
      this.#view.log.addTyped(text);
      input.value = '';
    };
  }

  async #start(microphone: boolean): Promise<void> {
    this.#phase = 'connecting';
    this.#failure = null;
    this.#view.log.clear();
    this.#render();
    try {
      this.#call = await joinCall({
        access: () => this.#fetchAccess(),
        mode: this.#isChat ? 'chat' : 'voice',
        microphone,
        recognition: this.getAttribute('recognition') === 'browser' ? 'browser' : 'service',
        workletUrl: this.getAttribute('worklet-url') ?? undefined,
        tools: this.tools,
        on: this.#handlers(),
      });
      if (!this.isConnected) return void this.#call.end();
      this.#phase = 'open';
      this.#view.log.language = this.#call.language;
      // In a call the agent begins by itself.
      if (this.#isChat) this.#call.send();
      this.#dispatch('call-started', { callId: this.#call.callId });
      this.#render();
      if (!this.#call.hasMicrophone) this.#view.input.focus();
      else this.#view.mute.focus();
      this.#checkSpeech(this.#call);
    } catch (error) {
      this.#phase = 'idle';
      this.#fail(asWebCallError(error));
    }
  }

  #handlers(): { [Name in keyof WebCallEvents]?: (value: WebCallEvents[Name]) => void } {
    const { log, meter } = this.#view;
    return {
      transcript: (transcript) => log.show(transcript, this.#call?.agentName ?? ''),
      state: () => this.#render(),
      speech: ({ state }) => {
        if (state !== 'playing' || this.#failure !== this.#texts.audio_suspended) return;
        this.#failure = null;
        this.#render();
      },
      level: ({ role, level }) => {
        // The agent's level is shown while it has the floor, the caller's otherwise.
        const shown = this.#call?.floor === 'agent' ? 'agent' : 'caller';
        if (role !== shown) return;
        meter.dataset.role = role;
        meter.style.setProperty('--level', Math.min(1, level * 4).toFixed(2));
      },
      reconnecting: () => {
        this.#isReconnecting = true;
        this.#render();
      },
      reconnected: () => {
        this.#isReconnecting = false;
        this.#render();
      },
      error: (error) => this.#fail(error),
      ended: ({ reason, error: lost }) => {
        const error = lost ?? failureOf(reason);
        this.#phase = 'ended';
        this.#call = null;
        this.#isReconnecting = false;
        this.#failure = null;
        log.addNote(this.#texts.ended);
        if (error !== null) this.#fail(error);
        this.#render();
        if (this.shadowRoot?.activeElement === null && document.activeElement === this) this.#view.start.focus();
        this.#dispatch('call-ended', { reason, error });
      },
    };
  }

  async #fetchAccess(): Promise<Access> {
    const response = await fetch(this.getAttribute('token-url') ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: this.#isChat ? 'chat' : 'web' }),
    }).catch((cause) => {
      throw new WebCallError('access_failed', 'The token URL cannot be reached.', { cause });
    });
    const access: Partial<Access> | null = response.ok ? await response.json().catch(() => null) : null;
    if (typeof access?.liveUrl === 'string' && typeof access.token === 'string') return access as Access;
    const what = response.ok ? 'without liveUrl and token' : `with ${response.status}`;
    throw new WebCallError('access_failed', `The token URL responded ${what}.`, { status: response.status });
  }

  /** The user and the page learn what does not work. */
  #fail(error: WebCallError): void {
    this.#failure = this.#textOf(error);
    this.#canType = !this.#isChat && typingHelps.includes(error.code);
    this.#render();
    this.#dispatch('call-error', error);
  }

  #textOf({ code, status }: WebCallError): string {
    const refusal = `refused${status}`;
    return code === 'connection_refused' && isTextName(refusal, this.#texts) ? this.#texts[refusal] : this.#texts[code];
  }

  /** The call goes on in writing, which the notice says. */
  #checkSpeech({ capabilities }: WebCall): void {
    if (this.#isChat) return;
    const isHeard = capabilities.speechIn || this.getAttribute('recognition') === 'browser';
    if (isHeard && capabilities.speechOut) return;
    const what = isHeard ? 'The agent has no voice.' : 'Speech is not recognized.';
    this.#dispatch('call-error', new WebCallError('speech_unavailable', what));
  }

  #dispatch(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #render(): void {
    const { launcher, panel, title, status, meter, close, alert, notice, start, typing, mute, end, form } = this.#view;
    const isOpen = this.#phase === 'open';
    const isVoice = isOpen && !this.#isChat;
    const isShown = !this.#isFloating || this.hasAttribute('open');
    launcher.hidden = isShown;
    launcher.setAttribute('aria-expanded', String(isShown));
    panel.hidden = !isShown;
    close.hidden = !this.#isFloating;
    title.textContent = this.#call?.agentName || this.#texts.title;
    status.textContent = this.#status();
    meter.hidden = !isVoice;
    setText(alert, this.#failure);
    setText(notice, this.#notice());
    start.hidden = isOpen;
    start.disabled = this.#phase === 'connecting';
    typing.hidden = this.#phase !== 'idle' || !this.#canType || this.#failure === null;
    mute.hidden = !isVoice || !this.#call?.hasMicrophone;
    const isMuted = this.#call?.isMuted ?? false;
    if (mute.dataset.muted !== String(isMuted)) {
      mute.dataset.muted = String(isMuted);
      setLabel(mute, isMuted ? 'unmute' : 'mute', isMuted ? this.#texts.unmute : this.#texts.mute);
    }
    end.hidden = !isOpen;
    form.hidden = !isOpen;
  }

  #status(): string {
    if (this.#phase === 'connecting') return this.#texts.connecting;
    if (this.#phase !== 'open' || this.#call === null) return '';
    if (this.#isReconnecting) return this.#texts.reconnecting;
    if (this.#isChat) return this.#texts.none;
    if (this.#call.isMuted && this.#call.floor !== 'agent') return this.#texts.muted;
    return this.#texts[this.#call.floor];
  }

  #notice(): string | null {
    if (this.#isChat) return null;
    const isBrowser = this.getAttribute('recognition') === 'browser';
    if (this.#call === null) return isBrowser ? this.#texts.recognition : null;
    const { speechIn, speechOut, recording } = this.#call.capabilities;
    const sentences = [
      ...(recording ? [this.#texts.recorded] : []),
      ...(speechIn || isBrowser ? [] : [this.#texts.noSpeechIn]),
      ...(speechOut ? [] : [this.#texts.noSpeechOut]),
    ];
    return sentences.length === 0 ? null : sentences.join(' ');
  }
}

function asWebCallError(cause: unknown): WebCallError {
  if (cause instanceof WebCallError) return cause;
  const { name = null, message = 'The call could not be started.' } = (cause ?? {}) as Partial<Error>;
  return new WebCallError('unexpected_error', message, { detail: name, cause });
}

function failureOf(reason: string | null): WebCallError | null {
  if (reason === null || !(reason.endsWith('_failed') || failedEnds.includes(reason))) return null;
  return new WebCallError('call_failed', `The service has ended the call: ${reason}.`, { detail: reason });
}

function isTextName(name: string, texts: ElementTexts): name is keyof ElementTexts {
  return name in texts;
}

function setText(element: HTMLElement, text: string | null): void {
  element.hidden = text === null;
  if (element.textContent !== (text ?? '')) element.textContent = text;
}

if (typeof customElements !== 'undefined' && customElements.get('voice-agent-call') === undefined) {
  customElements.define('voice-agent-call', VoiceAgentCall);
}
