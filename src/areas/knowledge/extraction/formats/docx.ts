import mammoth from 'mammoth';
import { ExtractionError } from '../failure.ts';
import { type HtmlDocument, readHtml } from './html.ts';
import { ZipFile } from './zip.ts';

/** The parser needs about a kilobyte for each element, and for the text several times its size. */
const maxElements = 300_000;
const maxXmlBytes = 64 * 1024 * 1024;
/** The innermost runs: text boxes are runs that contain others. */
const run = /<w:r(?:\s[^>]*)?>(?:(?!<w:r[\s>]|<\/w:r>)[\s\S])*<\/w:r>/g;
const hiddenRun = /<w:(?:vanish|webHidden)(?:\s+w:val="(?:1|true|on)")?\s*\/>/;
/** The properties of a run are most of the file, and the text does not need them. */
const runProperties = /<w:rPr>[\s\S]*<\/w:rPr>/;
const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

/** Converted to HTML first. Nothing outside of the file is read. */
export async function readDocx(bytes: Buffer): Promise<HtmlDocument> {
  const zip = new ZipFile(bytes);
  let hadHiddenText = false;
  const read = (name: string): string => {
    const xml = xmlIn(zip, name).replace(run, (text) => {
      const isHidden = hiddenRun.test(text);
      hadHiddenText ||= isHidden;
      return isHidden ? '' : text.replace(runProperties, '');
    });
    if (hasMoreElements(xml, maxElements)) throw tooLarge();
    return xml;
  };
  // The only input that does not unpack files on its own.
  const file = { exists: (name: string) => zip.has(name), read: async (name: string) => read(name) };
  const { value } = await mammoth.convertToHtml({ file } as never, {
    styleMap,
    includeEmbeddedStyleMap: false,
    externalFileAccess: false,
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
  });
  const document = readHtml(value);
  return { ...document, hadHiddenText: hadHiddenText || document.hadHiddenText };
}

function xmlIn(zip: ZipFile, name: string): string {
  if (zip.sizeOf(name) > maxXmlBytes) throw tooLarge();
  const bytes = zip.read(name);
  if (bytes.includes('<!DOCTYPE') || bytes.includes('<!ENTITY')) {
    throw new ExtractionError('corrupt', 'The document defines entities, which is not allowed in this type.');
  }
  return bytes.toString('utf8');
}

function hasMoreElements(xml: string, count: number): boolean {
  let found = 0;
  for (let at = xml.indexOf('<'); at !== -1 && found <= count; at = xml.indexOf('<', at + 1)) {
    if (xml[at + 1] !== '/') found += 1;
  }
  return found > count;
}

function tooLarge(): ExtractionError {
  return new ExtractionError('too_large', 'The document has more formatted text than can be read.');
}
