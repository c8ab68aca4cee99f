/** Half a character, such as an emoji that was cut, and NUL cannot be stored: the service would close the connection. */
export function storable(text: string): string {
  return text.replace(/[\p{Cs}\0]/gu, '\uFFFD');
}
