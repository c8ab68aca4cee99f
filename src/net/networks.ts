import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** What connections may go to besides public addresses: this machine, as long as only this machine reaches us. */
export function defaultNetworks(host: string): readonly string[] {
  return isLoopbackName(host) ? loopbackNetworks : [];
}

/** RFC 6761: `localhost` and every name below it is this machine, whatever a resolver says. */
export function isLoopbackName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || (isIP(name) !== 0 && loopback.check(...typed(name)));
}

/** What is wrong with a network that an operator lists, or undefined. */
export function networkIssue(network: string): string | undefined {
  const parsed = parseNetwork(network);
  if (parsed === undefined) return `must list networks such as 10.0.0.0/8 or fd00::/8, or be none, not "${network}"`;
  const [address, length] = parsed;
  const isInside = localNetworks.some((outer) => {
    const [outerAddress, outerLength] = parseNetwork(outer) as Network;
    return (
      isIPv4(address) === isIPv4(outerAddress) && length >= outerLength && listOf([outer]).check(...typed(address))
    );
  });
  // A wider network would also open link-local addresses, where clouds keep the credentials of the machine.
  return isInside ? undefined : `must list loopback and private networks only, not "${network}"`;
}

/** A network in CIDR notation, or a single address. Undefined if it is neither. */
export function networkOf(text: string): string | undefined {
  const network = isIPv4(text) ? `${text}/32` : isIPv6(text) ? `${text}/128` : text;
  return parseNetwork(network) === undefined ? undefined : network;
}

/** Tells which addresses are in one of these networks, which are in CIDR notation. */
export function networkMatcher(networks: readonly string[]): (ip: string) => boolean {
  const list = listOf(networks);
  return (ip) => {
    const address = withoutMapping(ip);
    return address !== undefined && list.check(...typed(address));
  };
}

/** The networks that are loopback or private: all others are public already, or not meant for connections. */
export const localNetworks = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
] as const;

/** IPv4 ranges that are not public unicast (IANA's registry of special-purpose addresses). */
const specialIPv4 = [
  '0.0.0.0/8', // this network, and unspecified
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4, withdrawn
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
] as const;

/** Inside global unicast (2000::/3), which is the only part of IPv6 that is public. */
const specialIPv6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
] as const;

const special = listOf([...specialIPv4, ...specialIPv6]);
const globalUnicast = listOf(['2000::/3']);
const loopbackNetworks = ['127.0.0.0/8', '::1/128'] as const;
const loopback = listOf(loopbackNetworks);
const mapped = listOf(['::ffff:0:0/96']);
const nat64 = listOf(['64:ff9b::/96']);
const sixToFour = listOf(['2002::/16']);

/**
 * Decides which addresses connections may go to. The same object checks an address as written, and each address that a
 * name resolves to.
 */
export class AllowedNetworks {
  /** Whether more than this machine is allowed, such as a network of containers. */
  readonly isBeyondLoopback: boolean;
  /** Whether the operator allows this address although it is not public. */
  readonly has: (ip: string) => boolean;

  /** `networks` are in CIDR notation, and `networkIssue` finds nothing wrong with them. */
  constructor(networks: readonly string[]) {
    this.has = networkMatcher(networks);
    this.isBeyondLoopback = networks.some((network) => {
      const [address] = parseNetwork(network) as Network;
      return !loopback.check(...typed(address));
    });
  }

  /** Whether a connection to this address is allowed: it is public unicast, or in one of the networks. */
  isAllowedAddress(ip: string): boolean {
    return this.has(ip) || isPublicUnicast(ip);
  }
}

export function isPublicUnicast(ip: string): boolean {
  const address = withoutMapping(ip);
  if (address === undefined) return false;
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  if (nat64.check(address, 'ipv6')) return isPublicUnicast(embedded(address, 6));
  if (sixToFour.check(address, 'ipv6')) return isPublicUnicast(embedded(address, 1));
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** An address in its shortest notation. Undefined if the text is no address, or one with a zone. */
export function canonicalAddress(ip: string): string | undefined {
  const address = withoutMapping(ip);
  return address === undefined || isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** The network that one client has at least: an IPv4 address, or the 64 bits of IPv6 that providers assign to a client. */
export function clientNetworkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** `::ffff:10.0.0.1` reaches 10.0.0.1. Undefined if the text is no address, or one with a zone, which is never public. */
function withoutMapping(ip: string): string | undefined {
  if (isIPv4(ip)) return ip;
  if (!isIPv6(ip) || ip.includes('%')) return undefined;
  return mapped.check(ip, 'ipv6') ? embedded(ip, 6) : ip;
}

/** The IPv4 address in an IPv6 address, from the given group of 16 bits. */
function embedded(ip: string, group: number): string {
  const groups = groupsOf(ip).slice(group, group + 2);
  return groups.flatMap((value) => [value >> 8, value & 255]).join('.');
}

/** The eight groups. The URL parser normalizes every notation, including a trailing IPv4 part. */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const first = numbers(head);
  const last = numbers(tail ?? '');
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

type Network = readonly [address: string, prefixLength: number];

function parseNetwork(text: string): Network | undefined {
  const match = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text);
  const address = match?.[1] ?? '';
  const length = Number(match?.[2]);
  if (isIPv4(address)) return length <= 32 ? [address, length] : undefined;
  return isIPv6(address) && length <= 128 ? [address, length] : undefined;
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, length] = parseNetwork(network) as Network;
    list.addSubnet(address, length, familyOf(address));
  }
  return list;
}

function typed(address: string): [address: string, family: 'ipv4' | 'ipv6'] {
  return [address, familyOf(address)];
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
