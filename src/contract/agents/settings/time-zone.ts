/** `Intl` also takes offsets, such as +09:00, which are not names. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const namesOfIcu =
  /^(a[cegrs]t|bet|bst|c[ans]t|ctt|e[ac]t|i[es]t|jst|mit|n[es]t|p[lnrs]t|sst|vst|systemv\/.+|us\/pacific-new|canada\/east-saskatchewan)$/i;

/** `Intl` also takes names that only ICU has, such as JST, which `Temporal` refuses. */
export function isIanaTimeZone(name: string): boolean {
  return isTimeZone(name) && !namesOfIcu.test(name);
}
