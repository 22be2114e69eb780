/** Escapes control characters in untrusted texts, so that a terminal shows them instead of obeying them. */

// oxlint-disable-next-line no-control-regex -- these are the characters to escape
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Escapes control and bidirectional characters, except line feeds and tabs. */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
