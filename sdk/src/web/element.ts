import type { Access } from './connection.ts';
import { logFailure, logMistakes } from './element-advice.ts';
import { addStyle, fullScreen } from './element-style.ts';
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
 * `<voice-agent-call token-url="/call">`: a conversation with an agent. The server of the page
 * responds to a POST at `token-url` with the `liveUrl` and `token` of a call that it has created.
 */
export class VoiceAgentCall extends Base {
  /** A page may open and close the floating panel with it. */
  static readonly observedAttributes = ['open'];
  /** Tools of the agent that run in the page, by name. */
  tools: Readonly<Record<string, PageTool>> = {};
  #texts!: ElementTexts;
  #view!: View;
  #phase: Phase = 'idle';
  #call: WebCall | null = null;
  #failure: string | null = null;
  #canType = false;
  /** The page's own title stays; the default one gives way to the name of the agent. */
  #hasOwnTitle = false;
  #isReconnecting = false;
  /** Turns of the agent in a chat while the panel is closed. */
  readonly #unread = new Set<number>();

  connectedCallback(): void {
    if (this.shadowRoot !== null) return;
    const language = this.getAttribute('language') ?? (document.documentElement.lang || navigator.language);
    const label = this.getAttribute('label');
    const texts = elementTexts(language, this.getAttribute('labels'));
    this.#texts = label === null ? texts : { ...texts, title: label };
    this.#hasOwnTitle = label !== null || texts.title !== elementTexts(language, null).title;
    if (this.#modes.includes('button')) this.setAttribute('layout', 'floating');
    else if (!this.hasAttribute('layout')) this.setAttribute('layout', 'inline');
    logMistakes(this);
    const root = this.attachShadow({ mode: 'open' });
    addStyle(root);
    this.#view = createView(root, this.#texts, { isChat: this.#isChat, isFloating: this.#isFloating });
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

  attributeChangedCallback(): void {
    if (this.shadowRoot !== null) this.#render();
  }

  get #modes(): readonly string[] {
    return (this.getAttribute('mode') ?? '').split(/\s+/);
  }

  get #isChat(): boolean {
    return this.#modes.includes('chat');
  }

  get #isFloating(): boolean {
    return this.getAttribute('layout') === 'floating';
  }

  #listen(): void {
    const { launcher, close, start, typing, mute, end, form, input, panel } = this.#view;
    launcher.onclick = () => {
      this.toggleAttribute('open', true);
      (this.#phase === 'open' ? input : start).focus();
    };
    const hide = () => {
      this.toggleAttribute('open', false);
      launcher.focus();
    };
    close.onclick = hide;
    panel.onkeydown = (event) => {
      if (!this.#isFloating || event.isComposing) return;
      if (event.key === 'Escape') hide();
      // Behind a panel that fills the screen, the focus would be invisible.
      if (event.key === 'Tab' && matchMedia(fullScreen).matches) keepFocus(panel, event);
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
      transcript: (transcript) => {
        log.show(transcript, this.#call?.agentName ?? '');
        if (transcript.role !== 'agent' || this.#isShown) return;
        this.#unread.add(transcript.turn);
        this.#render();
      },
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
    const url = this.getAttribute('token-url');
    // An empty URL is that of the page itself.
    if (!url) throw new WebCallError('access_failed', 'The attribute token-url is missing.');
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: this.#isChat ? 'chat' : 'web' }),
    }).catch((cause) => {
      throw new WebCallError('access_failed', `token-url="${url}" cannot be reached.`, { cause });
    });
    const access: Partial<Access> | null = response.ok ? await response.json().catch(() => null) : null;
    if (typeof access?.liveUrl === 'string' && typeof access.token === 'string') return access as Access;
    const what = response.ok ? 'without liveUrl and token' : `with ${response.status}`;
    throw new WebCallError('access_failed', `token-url="${url}" responded ${what}.`, { status: response.status });
  }

  /** The user and the page learn what does not work. */
  #fail(error: WebCallError): void {
    this.#failure = this.#textOf(error);
    this.#canType = !this.#isChat && typingHelps.includes(error.code);
    this.#render();
    this.#report(error);
  }

  #report(error: WebCallError): void {
    logFailure(error);
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
    this.#report(new WebCallError('speech_unavailable', what));
  }

  #dispatch(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #render(): void {
    const { launcher, badge, panel, title, status, meter, close, alert, notice, start, typing, mute, end, form } =
      this.#view;
    const isOpen = this.#phase === 'open';
    const isVoice = isOpen && !this.#isChat;
    const isShown = this.#isShown;
    launcher.hidden = isShown;
    launcher.setAttribute('aria-expanded', String(isShown));
    if (isShown) this.#unread.clear();
    setText(badge, isOpen ? (this.#isChat && this.#unread.size > 0 ? String(this.#unread.size) : '●') : null);
    launcher.setAttribute('aria-label', this.#launcherLabel());
    panel.hidden = !isShown;
    close.hidden = !this.#isFloating;
    title.textContent = (this.#hasOwnTitle ? null : this.#call?.agentName) || this.#texts.title;
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

  get #isShown(): boolean {
    return !this.#isFloating || this.hasAttribute('open');
  }

  /** The text of the button, and what goes on behind it. */
  #launcherLabel(): string {
    const { title, inCall, inChat, unread } = this.#texts;
    if (this.#phase !== 'open') return title;
    if (!this.#isChat) return `${title}. ${inCall}`;
    return `${title}. ${this.#unread.size === 0 ? inChat : `${unread}: ${this.#unread.size}`}`;
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

/** Moves the focus from the last control to the first, and back. */
function keepFocus(panel: HTMLElement, event: KeyboardEvent): void {
  const controls = [...panel.querySelectorAll<HTMLElement>('button, input, [tabindex]')].filter(
    (control) => control.offsetParent !== null && !control.matches(':disabled'),
  );
  const [edge, other] = event.shiftKey ? [controls[0], controls.at(-1)] : [controls.at(-1), controls[0]];
  if ((panel.getRootNode() as ShadowRoot).activeElement !== edge) return;
  event.preventDefault();
  other?.focus();
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
