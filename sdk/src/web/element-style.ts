/** Where an open floating panel fills the screen. */
export const fullScreen = '(max-width: 480px)';

const dark = `
--accent: var(--voice-agent-accent, #7db4ff);
--on-accent: var(--voice-agent-on-accent, #0b1622);
--surface: var(--voice-agent-surface, #1c1f24);
--canvas: var(--voice-agent-canvas, #14161a);
--text: var(--voice-agent-text, #eceff3);
--quiet: var(--voice-agent-quiet, #a3adba);
--line: var(--voice-agent-line, #363c45);
--bad: var(--voice-agent-bad, #ffb4ab);
`;

/** Colors are variables with the prefix --voice-agent-, which the page may set on the element. */
const css = `
:host {
  --accent: var(--voice-agent-accent, #0f62c4);
  --on-accent: var(--voice-agent-on-accent, #fff);
  --surface: var(--voice-agent-surface, #fff);
  --canvas: var(--voice-agent-canvas, #f4f5f7);
  --text: var(--voice-agent-text, #1a1d21);
  --quiet: var(--voice-agent-quiet, #5b6470);
  --line: var(--voice-agent-line, #d5d9df);
  --bad: var(--voice-agent-bad, #b3261e);
  --radius: var(--voice-agent-radius, 14px);
  display: block;
  max-width: var(--voice-agent-width, 440px);
  font: 400 15px/1.55 var(--voice-agent-font, system-ui, sans-serif);
  color: var(--text);
}
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${dark} } }
:host([theme=dark]) { ${dark} }
:host([hidden]), [hidden] { display: none !important; }
:host([layout=floating]) {
  position: fixed;
  right: max(20px, env(safe-area-inset-right));
  bottom: max(20px, env(safe-area-inset-bottom));
  z-index: 2147483000;
  max-width: none;
}
:host([layout=floating][position=left]) { right: auto; left: max(20px, env(safe-area-inset-left)); }
* { box-sizing: border-box; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
svg { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; flex: none; }
.button {
  display: inline-flex; align-items: center; justify-content: center; gap: 8px;
  min-height: 44px; padding: 8px 16px;
  border: 1px solid var(--line); border-radius: 999px; background: var(--surface); font-weight: 600;
}
.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.danger { color: var(--bad); }
.icon { width: 44px; padding: 0; border-color: transparent; background: transparent; flex: none; }
.launcher { position: relative; max-width: calc(100vw - 40px); min-height: 56px; padding: 8px 24px 8px 20px; box-shadow: 0 4px 18px rgb(0 0 0 / .25); }
.launcher .label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.badge {
  position: absolute; top: -4px; right: -2px;
  display: grid; place-items: center; min-width: 20px; height: 20px; padding: 0 5px;
  border: 2px solid var(--surface); border-radius: 999px; background: var(--bad); color: var(--surface); font-size: 12px; line-height: 1;
}
.panel {
  display: flex; flex-direction: column;
  width: 100%; height: var(--voice-agent-height, 460px); overflow: hidden;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface);
}
:host([layout=floating]) .panel {
  width: min(var(--voice-agent-width, 400px), calc(100vw - 40px)); height: min(var(--voice-agent-height, 560px), calc(100dvh - 40px));
  box-shadow: 0 10px 40px rgb(0 0 0 / .28);
}
header { display: flex; align-items: center; gap: 10px; padding: 10px 8px 10px 16px; border-bottom: 1px solid var(--line); min-height: 65px; }
.who { flex: 1; min-width: 0; }
h2 { margin: 0; font-size: 16px; line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.status { margin: 0; color: var(--quiet); font-size: 13px; line-height: 1.4; }
.meter { display: flex; align-items: center; gap: 3px; height: 24px; color: var(--quiet); }
.meter i { width: 4px; height: calc(4px + 20px * var(--level, 0) * var(--weight, 1)); border-radius: 2px; background: currentColor; transition: height .08s linear; }
.meter i:nth-child(odd) { --weight: .6; }
.meter[data-role=agent] { color: var(--accent); }
.log {
  flex: 1; min-height: 0; margin: 0; padding: 16px; overflow-y: auto; overscroll-behavior: contain;
  display: flex; flex-direction: column; gap: 8px; background: var(--canvas);
}
.log:focus-visible { outline-offset: -2px; }
.line { max-width: 85%; padding: 8px 12px; border: 1px solid var(--line); border-radius: 14px; background: var(--surface); overflow-wrap: anywhere; white-space: pre-wrap; line-break: strict; word-break: auto-phrase; }
.caller { align-self: flex-end; border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.agent { align-self: flex-start; }
.open { border-style: dashed; }
.line.caller.open { background: none; color: var(--text); }
.note { align-self: center; margin: auto 0; max-width: 100%; padding: 4px 8px; border: 0; background: none; color: var(--quiet); font-size: 13px; text-align: center; }
.line + .note { margin: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.alert, .notice { margin: 0; padding: 10px 16px; border-top: 1px solid var(--line); font-size: 14px; }
.alert { color: var(--bad); }
.notice { color: var(--quiet); }
.controls, form { display: flex; flex-wrap: wrap; gap: 8px; padding: 12px 16px; border-top: 1px solid var(--line); }
.controls .button { flex: 1; white-space: nowrap; }
form { flex-wrap: nowrap; }
input { flex: 1; min-width: 0; min-height: 44px; padding: 8px 14px; border: 1px solid var(--quiet); border-radius: 999px; background: var(--surface); font-size: 16px; }
form .button { border-color: transparent; background: transparent; color: var(--accent); }
@media ${fullScreen} {
  :host([layout=floating][open]) { right: 0; bottom: 0; left: 0; }
  :host([layout=floating]) .panel { width: 100%; height: 100dvh; border: 0; border-radius: 0; }
}
@keyframes opening { from { transform: translateY(16px); } }
:host([layout=floating]) .panel { animation: opening .18s ease-out; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
`;

/** Not as an element where possible: a strict policy of the page does not allow inline styles. */
export function addStyle(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    const style = document.createElement('style');
    style.textContent = css;
    root.append(style);
  }
}
