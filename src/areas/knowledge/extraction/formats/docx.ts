import mammoth from 'mammoth';
import { ExtractionError } from '../failure.ts';
import { type HtmlDocument, readHtml } from './html.ts';
import { ZipFile } from './zip.ts';

/** The parser of XML needs about twenty times as much memory. */
const maxXmlBytes = 16 * 1024 * 1024;
/** The innermost runs: text boxes are runs that contain others. */
const run = /<w:r(?:\s[^>]*)?>(?:(?!<w:r[\s>]|<\/w:r>)[\s\S])*<\/w:r>/g;
const hiddenRun = /<w:(?:vanish|webHidden)(?:\s+w:val="(?:1|true|on)")?\s*\/>/;
const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

/** Converted to HTML first. Nothing outside of the file is read. */
export async function readDocx(bytes: Buffer): Promise<HtmlDocument> {
  const zip = new ZipFile(bytes);
  let hadHiddenText = false;
  const read = (name: string): string => {
    const xml = xmlIn(zip, name);
    const visible = xml.replace(run, (text) => (hiddenRun.test(text) ? '' : text));
    hadHiddenText ||= visible.length < xml.length;
    return visible;
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
  if (zip.sizeOf(name) > maxXmlBytes) {
    throw new ExtractionError(
      'too_large',
      `The document has more than ${maxXmlBytes / 1024 / 1024} MB of formatted text.`,
    );
  }
  const bytes = zip.read(name);
  if (bytes.includes('<!DOCTYPE') || bytes.includes('<!ENTITY')) {
    throw new ExtractionError('corrupt', 'The document defines entities, which is not allowed in this type.');
  }
  return bytes.toString('utf8');
}
