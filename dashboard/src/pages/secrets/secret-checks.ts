const maxValue = 4096;
export const maxHosts = 10;

/** As the service checks them, so that most mistakes are shown before anything is sent. */
export function isSecretName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(name);
}

export function isSecretValue(value: string): boolean {
  return [...value].length <= maxValue && !/[\x00-\x08\x0a-\x1f\x7f]/.test(value);
}

/** A host as in a URL, without scheme, port and path. */
export function isHost(host: string): boolean {
  return /^[a-z0-9.\-:[\]]+$/i.test(host) && URL.parse(`https://${host}/`)?.hostname === host.toLowerCase();
}
