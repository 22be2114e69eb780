/** Reads XML files element by element, to the end of the file or to where it is cut off. */
import type { FileHead, Sink, SourceFile } from '../record.js'
import { readText } from '../text/decode.js'
import { XmlScanner, type XmlHandler } from '../text/xml.js'

/** Receives the elements of a file. */
export interface ElementReader extends XmlHandler {
  /** True once the root element has ended. */
  readonly isClosed: boolean
  /** Emits the complete parts of elements that are still open. */
  finish(): void
}

/** Reads a file to its end; warns if its root element has not ended. */
export async function readXmlElements(
  source: SourceFile,
  head: FileHead,
  sink: Sink,
  reader: ElementReader
): Promise<void> {
  const scanner = new XmlScanner(reader)
  for await (const chunk of readText(source, head)) {
    scanner.write(chunk)
  }
  scanner.finish()
  if (reader.isClosed) return
  reader.finish()
  sink.warn('The file is cut off: what is whole was read')
}
