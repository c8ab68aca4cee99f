/** A conversation flow that fills a body of 1 MiB has some 45,000 values, one of very short steps up to twice as many. */
export const maxValues = 100_000;
/** A flow that fills a body of 1 MiB, as an object by the ids of its steps, has some 8,000 names. */
export const maxShapes = 10_000;
/** `"a":1,` is the shortest member: in a text with less for each, neither limit can be exceeded. */
const minMemberLength = 6;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Objects that begin with the same names, and what they go on with. Nearly always that is one and the same name. */
interface Shape {
  firstName: string;
  first: Shape | undefined;
  others: Map<string, Shape> | undefined;
}

/**
 * Which limit a JSON text exceeds, found without parsing it, in a few milliseconds. To parse, compare and write 1 MiB of
 * it can take half a second. What counts is the number of values, and far more than that the number of objects with names
 * that no earlier object had in this order: the runtime takes fifteen times as long for each. The result means nothing
 * for a text that is not valid JSON.
 */
export function exceededLimit(text: string): string | undefined {
  if (text.length < maxShapes * minMemberLength) return undefined;
  const { values, names } = count(text);
  if (values > maxValues) return `more than ${maxValues} values`;
  if (names > maxShapes && hasTooManyShapes(text))
    return `more than ${maxShapes} different names, or orders of names, in its objects`;
  return undefined;
}

function count(text: string): { readonly values: number; readonly names: number } {
  let values = 0;
  let names = 0;
  for (let place = 0; place < text.length && values <= maxValues; place += 1) {
    const code = text.charCodeAt(place);
    if (code === quote) place = endOfString(text, place);
    else if (code === comma) values += 1;
    else if (code === colon) names += 1;
    else if (code === openBrace) values += text.charCodeAt(place + 1) === closeBrace ? 0 : 1;
    else if (code === openBracket) values += text.charCodeAt(place + 1) === closeBracket ? 0 : 1;
  }
  return { values, names };
}

function hasTooManyShapes(text: string): boolean {
  const empty = newShape();
  /** Those of the objects around the place. */
  const outer: Shape[] = [];
  let shape = empty;
  let shapes = 0;
  let start = 0;
  let end = 0;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === quote) {
      start = place;
      place = endOfString(text, place);
      end = place;
    } else if (code === colon) {
      let next = nextShape(shape, text, start, end);
      if (next === undefined) {
        shapes += 1;
        if (shapes > maxShapes) return true;
        next = addShape(shape, text.slice(start, end));
      }
      shape = next;
    } else if (code === openBrace) {
      outer.push(shape);
      shape = empty;
    } else if (code === closeBrace) shape = outer.pop() ?? empty;
  }
  return false;
}

function newShape(): Shape {
  return { firstName: '', first: undefined, others: undefined };
}

function nextShape(shape: Shape, text: string, start: number, end: number): Shape | undefined {
  // Compared in place, which takes a third of the time that it takes to cut the name out and look it up.
  if (shape.firstName.length === end - start && text.startsWith(shape.firstName, start)) return shape.first;
  return shape.others?.get(text.slice(start, end));
}

function addShape(shape: Shape, name: string): Shape {
  const next = newShape();
  if (shape.first === undefined) {
    shape.first = next;
    shape.firstName = name;
  } else {
    shape.others ??= new Map();
    shape.others.set(name, next);
  }
  return next;
}

/** The place of the quotation mark that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  const far = start + 24;
  let place = start + 1;
  for (; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === quote) break;
    if (code === backslash) place += 1;
    else if (place === far) {
      // For what is long the runtime is quicker than this loop.
      const next = text.indexOf('"', place);
      if (next === -1) return text.length;
      if (text.charCodeAt(next - 1) !== backslash) return next;
    }
  }
  return place;
}
