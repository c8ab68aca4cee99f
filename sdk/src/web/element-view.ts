import type { ElementTexts } from './element-texts.ts';
import type { Transcript } from './frames.ts';

const icons = {
  call: 'M5 4h4l2 5-2.5 1.5a11 11 0 0 0 5 5L15 13l5 2v4a1 1 0 0 1-1 1A16 16 0 0 1 4 5a1 1 0 0 1 1-1',
  chat: 'M4 5h16v11H9l-5 4z',
  close: 'M6 6l12 12M18 6L6 18',
  end: 'M3 14c0-6 18-6 18 0v2l-5-1v-2c-2-1-6-1-8 0v2l-5 1z',
  mute: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3M5 11a7 7 0 0 0 14 0M12 18v3',
  unmute: 'M9 9v2a3 3 0 0 0 5 2M15 10V6a3 3 0 0 0-6-1M5 11a7 7 0 0 0 11 5M19 11a7 7 0 0 1-1 3M12 18v3M4 3l16 17',
  send: 'M4 12l16-8-6 16-3-6z',
} as const;
export type IconName = keyof typeof icons;

/** Elements are created one by one: a policy with Trusted Types allows no HTML from text. */
export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function icon(name: IconName): SVGSVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', icons[name]);
  svg.append(path);
  return svg;
}

export interface View {
  readonly launcher: HTMLButtonElement;
  readonly badge: HTMLElement;
  readonly panel: HTMLElement;
  readonly title: HTMLElement;
  readonly status: HTMLElement;
  readonly meter: HTMLElement;
  readonly close: HTMLButtonElement;
  readonly alert: HTMLElement;
  readonly notice: HTMLElement;
  readonly start: HTMLButtonElement;
  readonly typing: HTMLButtonElement;
  readonly mute: HTMLButtonElement;
  readonly end: HTMLButtonElement;
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly log: Log;
}

export interface ViewOptions {
  readonly isChat: boolean;
  readonly isFloating: boolean;
}

export function createView(root: ShadowRoot, texts: ElementTexts, { isChat, isFloating }: ViewOptions): View {
  const button = (kind: string, name: IconName | null, text: string) =>
    create(
      'button',
      { type: 'button', class: `button ${kind}`, part: `button ${kind}` },
      ...(name === null ? [] : [icon(name)]),
      text,
    );
  const named = (kind: string, name: IconName, label: string) =>
    create(
      'button',
      { type: kind === 'send' ? 'submit' : 'button', class: 'button icon', 'aria-label': label },
      icon(name),
    );
  const main = isChat ? 'chat' : 'call';
  const badge = create('span', { class: 'badge' });
  const launcher = create(
    'button',
    { type: 'button', class: 'button main launcher', part: 'button launcher', 'aria-haspopup': 'dialog' },
    icon(main),
    create('span', { class: 'label' }, texts.title),
    badge,
  );
  const title = create('h2', {}, texts.title);
  const status = create('p', { class: 'status', role: 'status' });
  const meter = create(
    'div',
    { class: 'meter', 'aria-hidden': 'true' },
    ...Array.from({ length: 5 }, () => create('i')),
  );
  const close = named('close', 'close', texts.close);
  const list = create('div', {
    class: 'log',
    role: 'log',
    'aria-live': 'polite',
    'aria-label': texts.transcript,
    tabindex: '0',
  });
  const alert = create('p', { class: 'alert', role: 'alert' });
  const notice = create('p', { class: 'notice' });
  const start = button('main', main, isChat ? texts.startChat : texts.start);
  const typing = button('', null, texts.startTyping);
  const mute = button('', 'mute', texts.mute);
  const end = button('danger', isChat ? null : 'end', isChat ? texts.endChat : texts.end);
  const input = create('input', {
    type: 'text',
    'aria-label': texts.message,
    placeholder: texts.message,
    maxlength: '10000',
    autocomplete: 'off',
    enterkeyhint: 'send',
  });
  const form = create('form', {}, input, named('send', 'send', texts.send));
  const panel = create(
    'section',
    { class: 'panel', part: 'panel', 'aria-label': texts.title, ...(isFloating ? { role: 'dialog' } : {}) },
    create('header', {}, create('div', { class: 'who' }, title, status), meter, close),
    list,
    alert,
    notice,
    form,
    create('div', { class: 'controls' }, start, typing, mute, end),
  );
  root.append(launcher, panel);
  return {
    launcher,
    badge,
    panel,
    title,
    status,
    meter,
    close,
    alert,
    notice,
    start,
    typing,
    mute,
    end,
    form,
    input,
    log: new Log(list, texts),
  };
}

export function setLabel(button: HTMLButtonElement, name: IconName, text: string): void {
  button.replaceChildren(icon(name), text);
}

/** The conversation. A line changes as long as its turn does. */
export class Log {
  readonly #list: HTMLElement;
  readonly #texts: ElementTexts;
  readonly #lines = new Map<string, HTMLElement>();
  /** What was typed, until the service has it in the conversation. */
  #typed: HTMLElement[] = [];

  constructor(list: HTMLElement, texts: ElementTexts) {
    this.#list = list;
    this.#texts = texts;
  }

  /** The language of what is said, which may differ from the language of the page. */
  set language(language: string) {
    this.#list.lang = language;
  }

  clear(): void {
    this.#list.replaceChildren();
    this.#lines.clear();
    this.#typed = [];
  }

  show({ role, text, isFinal, turn }: Transcript, agentName: string): void {
    const key = `${role} ${turn}`;
    const typed = role === 'caller' ? this.#typed.find(({ dataset }) => dataset.text === text) : undefined;
    if (typed !== undefined) {
      this.#typed = this.#typed.filter((line) => line !== typed);
      this.#lines.get(key)?.remove();
      this.#lines.set(key, typed);
    }
    const line = this.#lines.get(key) ?? this.#add(role);
    this.#lines.set(key, line);
    this.#write(line, role === 'agent' ? agentName : this.#texts.you, text);
    line.classList.toggle('open', !isFinal);
  }

  addTyped(text: string): void {
    const line = this.#add('caller');
    line.dataset.text = text;
    this.#typed.push(line);
    this.#write(line, this.#texts.you, text);
  }

  addNote(text: string): void {
    this.#add('note').textContent = text;
    this.#scroll();
  }

  #add(kind: string): HTMLElement {
    const line = create('div', { class: `line ${kind}` });
    this.#list.append(line);
    return line;
  }

  /** The name of the speaker is for screen readers: others see it by side and color. */
  #write(line: HTMLElement, speaker: string, text: string): void {
    line.replaceChildren(create('span', { class: 'hidden' }, `${speaker}: `), text);
    this.#scroll();
  }

  #scroll(): void {
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}
